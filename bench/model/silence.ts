// How long nobody says anything, in virtual time: every pair of a first and a second model that fail in every way, by the product's own
// desk on a clock that only the bench moves.
import type { ManualClock } from '../../test/support/clock.ts'
import { manualClock } from '../../test/support/clock.ts'
import { seededIds } from '../../test/support/ids.ts'
import { estimateMs } from '@rostrum/telling/spoken-words'
import { createCircuits, createSlots } from '../../server/models/slots.ts'
import type { LanguageModel, ModelPart } from '../../server/models/language-model.ts'
import { createModelDesk } from '../../server/models/model-desk.ts'
import { sessionOf } from '../qa/score.ts'
import { readDecks } from '../qa/sets.ts'

/** When each piece comes, from the call; then how the stream ends. */
interface Behaviour {
  name: string
  pieces: readonly { at: number; text: string }[]
  ends: 'well' | 'fails' | 'hangs'
  endsAt: number
}

const claim = (text: string) => `${JSON.stringify({ text, sources: ['s7'] })}\n`
const [first, second] = [claim('The FL-3 device costs 219 euros, paid one time.'), claim('A pilot covers 25 wagons for 90 days.')]
const lie = claim('The FL-3 device costs 99 euros.')

const behaviours: readonly Behaviour[] = [
  {
    name: 'normal',
    pieces: [
      { at: 200, text: first },
      { at: 600, text: second },
    ],
    ends: 'well',
    endsAt: 700,
  },
  {
    name: 'slow first token',
    pieces: [
      { at: 1_300, text: first },
      { at: 1_700, text: second },
    ],
    ends: 'well',
    endsAt: 1_800,
  },
  { name: 'never begins', pieces: [], ends: 'hangs', endsAt: 0 },
  { name: 'refuses', pieces: [], ends: 'fails', endsAt: 50 },
  { name: 'refuses late', pieces: [], ends: 'fails', endsAt: 850 },
  { name: 'stalls after a sentence', pieces: [{ at: 300, text: first }], ends: 'hangs', endsAt: 0 },
  { name: 'stalls within a sentence', pieces: [{ at: 300, text: first.slice(0, 20) }], ends: 'hangs', endsAt: 0 },
  { name: 'cut within a sentence', pieces: [{ at: 300, text: first.slice(0, 20) }], ends: 'fails', endsAt: 400 },
  { name: 'cut after a sentence', pieces: [{ at: 300, text: first }], ends: 'fails', endsAt: 400 },
  { name: 'no JSON', pieces: [{ at: 200, text: 'Sure, the price is 219!' }], ends: 'well', endsAt: 300 },
  {
    name: 'lies',
    pieces: [
      { at: 200, text: lie },
      { at: 900, text: lie },
    ],
    ends: 'well',
    endsAt: 1_000,
  },
  { name: 'lies for ever', pieces: Array.from({ length: 90 }, (_, at) => ({ at: 200 + at * 200, text: lie })), ends: 'hangs', endsAt: 0 },
  { name: 'trickles', pieces: first.split('').map((text, at) => ({ at: 300 + at * 60, text })), ends: 'well', endsAt: 6_000 },
]

function scripted(clock: ManualClock, { name, pieces, ends, endsAt }: Behaviour): LanguageModel {
  const until = (at: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(at - clock.now(), resolve)
      signal.addEventListener('abort', () => (cancel(), resolve()), { once: true })
    })
  async function* stream(_prompt: unknown, signal: AbortSignal): AsyncIterable<ModelPart> {
    const began = clock.now()
    for (const { at, text } of pieces) {
      await until(began + at, signal)
      if (signal.aborted) return
      yield { type: 'text', text }
    }
    if (ends === 'hangs') {
      await until(began + 1_000_000, signal)
      return
    }
    await until(began + endsAt, signal)
    if (ends === 'fails') throw new Error('The model failed.')
  }
  return { name, price: null, stream }
}

/** The longest silence of one answer: from the question, or from the end of what was said, to the next sentence or the end. */
async function silenceOf(chain: readonly Behaviour[]): Promise<number> {
  const clock = manualClock()
  const subject = readDecks().find(({ id }) => id === 'ferrolink')
  if (subject === undefined) throw new Error('The deck is gone.')
  const models = chain.map((behaviour) => scripted(clock, behaviour))
  const desk = createModelDesk({
    afford: async () => true,
    clock,
    ids: seededIds(1),
    models,
    slots: createSlots(clock, 8),
    circuits: createCircuits(clock),
    speechWpm: 150,
  })
  let quietSince = clock.now()
  let longest = 0
  const heard = (estMs: number) => {
    longest = Math.max(longest, clock.now() - quietSince)
    quietSince = Math.max(quietSince, clock.now()) + estMs
  }
  let isOver = false
  const answer = desk.answer({
    question: 'What does the device cost?',
    context: { session: sessionOf(subject) },
    attendeeId: 'a',
    leaks: () => false,
    signal: new AbortController().signal,
  })
  const listening = (async () => {
    for await (const part of answer) heard(part.type === 'sentence' ? estimateMs(part.text, 'en', 150) : 0)
    isOver = true
  })()
  for (let steps = 0; !isOver && steps < 10_000; steps++) await clock.advance(10)
  if (!isOver) throw new Error(`${chain.map(({ name }) => name).join(', ')}: the answer never ended.`)
  await listening
  return longest
}

export interface Silence {
  chain: string
  ms: number
}

/** One for each model alone, and for each pair. */
export async function silences(): Promise<Silence[]> {
  const chains = [...behaviours.map((one) => [one]), ...behaviours.flatMap((one) => behaviours.map((two) => [one, two]))]
  const found: Silence[] = []
  for (const chain of chains) found.push({ chain: chain.map(({ name }) => name).join(', then '), ms: await silenceOf(chain) })
  return found
}
