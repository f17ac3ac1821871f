// A talk of two sentences, given without a server: `node packages/stage/decide/example.ts`. Somebody comes in and hears it through.
import { newColumns, talkSettings } from '@rostrum/contract/session'
import type { Talk, TalkBeat, TalkSession } from '@rostrum/contract/talk'
import { type Input, orderOf, type Setting } from './draft.ts'
import { decide, nextDue } from './machine.ts'
import { initialState } from '../run-state.ts'

const attendeeId = '00000000-0000-4000-8000-000000000002'
const slide = { id: 'slide', index: 0, title: 'Storage', text: 'Storage\nA battery shifts the evening peak.', imageUrl: null }
const beat = (index: number, kind: TalkBeat['kind'], text: string): TalkBeat => ({
  beatId: `beat-${index}`,
  slideId: slide.id,
  slideIndex: 0,
  index,
  kind,
  text,
  sources: [{ type: 'slide', id: slide.id, index: 0 }],
  estMs: text.length * 60,
  clauses: [0],
})
const talk: Talk = {
  deckId: 'deck',
  deckVersion: 1,
  slides: [slide],
  beats: [beat(0, 'narration', 'A battery shifts the evening peak.'), beat(1, 'closing', 'Thank you, and goodbye.')],
}
const session: TalkSession = {
  ...talkSettings(newColumns({ title: 'Storage', startPolicy: 'first_attendee', mode: 'broadcast' })),
  sessionId: '00000000-0000-4000-8000-000000000001',
  accountId: '00000000-0000-4000-8000-0000000000aa',
  deckId: 'deck',
  slug: 'storage',
  status: 'published',
  cta: null,
  consentVersion: 1,
  startsAt: null,
}
const setting: Setting = {
  runId: '00000000-0000-4000-8000-000000000003',
  kind: 'live',
  mode: 'broadcast',
  session,
  talk,
  order: orderOf(talk),
  showsInterest: () => false,
  questionWindowMs: 5_000,
}

/** Every event of the run, as a line each. */
export function lines(): string[] {
  const told: string[] = []
  let now = 0
  let state = initialState(now)
  const play = (input: Input) => {
    const decision = decide(state, input, setting, { now, epoch: 1, streamOpen: true })
    state = decision.state
    for (const { seq, type, data } of decision.events)
      told.push(`${String(now).padStart(6)} ms  ${seq}  ${type}  ${JSON.stringify(data).slice(0, 100)}`)
  }
  play({ kind: 'visit', id: 'visit', attendeeId, name: 'Ada', attendeeKind: 'human' })
  for (let due = nextDue(state, setting, true); due !== null && !state.closed; due = nextDue(state, setting, true)) {
    now = Math.max(now, due.at)
    play({ type: 'tick' })
  }
  return told
}

if (import.meta.main) console.log(lines().join('\n'))
