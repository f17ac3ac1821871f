// What a language model adds and what it may not do: time over the bare provider, planted falsehoods stopped and true sentences lost,
// the longest silence over every fault.
import { seededIds } from '../test/support/ids.ts'
import { line, startModelServer } from '../test/support/model-server.ts'
import { systemClock } from '@rostrum/base/clock'
import { createCircuits, createSlots } from '../server/models/slots.ts'
import { createModelDesk } from '../server/models/model-desk.ts'
import { openModel } from '../server/models/open-model.ts'
import { falsehoods, paraphrases, truths } from './model/planted.ts'
import { silences } from './model/silence.ts'
import { judgeAll, shareOf } from './model/verdicts.ts'
import { sessionOf } from './qa/score.ts'
import { readDecks } from './qa/sets.ts'
import type { Report } from './report.ts'
import { median } from './report.ts'

const owed = { pieceMs: 10, sentenceMs: 25, stopped: 0.99, lost: 0.02, silenceMs: 2_000 } as const
const rounds = 40
const delayMs = 40

const sentence = line('The FL-3 device costs 219 euros, paid one time.', 's7')
/** The pieces of one sentence, as a model writes them. */
const pieces = sentence.match(/[^]{1,8}/gu) ?? []

/** The bare provider: from the request to its first piece, and to the whole of its first sentence. */
async function bare(origin: string, body: string): Promise<{ piece: number; sentence: number }> {
  const began = performance.now()
  const response = await fetch(`${origin}/v1/chat/completions`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  let text = ''
  let piece = 0
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    if (piece === 0 && text.includes(JSON.stringify(pieces[0]).slice(1, -1))) piece = performance.now() - began
  }
  return { piece, sentence: performance.now() - began }
}

async function added(): Promise<{ pieceMs: number; sentenceMs: number }> {
  const server = await startModelServer(() => ({ pieces, delayMs }))
  try {
    const subject = readDecks().find(({ id }) => id === 'ferrolink')
    if (subject === undefined) throw new Error('The deck is gone.')
    const model = openModel({ provider: 'compatible', model: 'stub', baseUrl: `${server.origin}/v1`, apiKey: null, price: null })
    await model.warm()
    const desk = createModelDesk({
      afford: async () => true,
      clock: systemClock,
      ids: seededIds(1),
      models: [model],
      slots: createSlots(systemClock, 8),
      circuits: createCircuits(systemClock),
      speechWpm: 150,
    })
    const context = { session: sessionOf(subject) }
    const own: { piece: number; sentence: number }[] = []
    const raw: { piece: number; sentence: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const began = performance.now()
      let said = 0
      const question = {
        question: 'What does the device cost?',
        context,
        attendeeId: 'a',
        leaks: () => false,
        signal: new AbortController().signal,
      }
      for await (const part of desk.answer(question)) {
        if (part.type === 'sentence') said ||= performance.now() - began
        else own.push({ piece: part.trace.calls[0]?.firstPieceMs ?? Number.NaN, sentence: said })
      }
      raw.push(await bare(server.origin, server.requests.at(-1)?.body ?? ''))
    }
    // The first rounds load and compile what every later one finds.
    const of = (all: typeof own, key: 'piece' | 'sentence') => median(all.slice(5).map((one) => one[key]))
    return { pieceMs: of(own, 'piece') - of(raw, 'piece'), sentenceMs: of(own, 'sentence') - of(raw, 'sentence') }
  } finally {
    await server.close()
  }
}

export async function benchModel(): Promise<Report> {
  const { pieceMs, sentenceMs } = await added()
  const stopped = shareOf(judgeAll(falsehoods()), ({ verdict }) => verdict !== 'ok')
  const lost = shareOf(judgeAll(truths()), ({ verdict }) => verdict !== 'ok')
  const lostParaphrases = shareOf(judgeAll(paraphrases()), ({ verdict }) => verdict !== 'ok')
  const quiet = await silences()
  const silenceMs = Math.max(...quiet.map(({ ms }) => ms))
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  const most = (claim: string, value: number, limit: number, show: (value: number) => string) => ({
    claim,
    measured: show(value),
    owed: `<= ${show(limit)}`,
    holds: value <= limit,
  })
  const ms = (value: number) => `${value.toFixed(1)} ms`
  return {
    suite: 'Model',
    rows: [
      most('added to the first piece of the bare provider, median', pieceMs, owed.pieceMs, ms),
      most('added to the first sentence of the bare provider, verified, median', sentenceMs, owed.sentenceMs, ms),
      {
        claim: `planted falsehoods stopped, of ${falsehoods().length}`,
        measured: percent(stopped),
        owed: `>= ${percent(owed.stopped)}`,
        holds: stopped >= owed.stopped,
      },
      most(`true sentences lost, of ${truths().length}`, lost, owed.lost, percent),
      most(`of these, fair paraphrases lost, of ${paraphrases().length}`, lostParaphrases, owed.lost, percent),
      most(`longest silence over ${quiet.length} chains that fail, virtual time`, silenceMs, owed.silenceMs, ms),
    ],
    figures: { pieceMs, sentenceMs, stopped, lost, lostParaphrases, silenceMs },
  }
}
