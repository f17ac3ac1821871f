// Runs that were held, written into the log as the presenter would have: for what is read of many runs afterwards.
import { systemIds } from '@rostrum/base/clock'
import type { NewRunEvent } from '@rostrum/contract/room'
import type { Store } from '../../server/platform/db/store.ts'

export interface HeldRun {
  accountId: string
  sessionId: string
  kind?: 'live' | 'rehearsal'
  startedAt: number
  events: readonly NewRunEvent[]
}

/** A completed run whose events are one second apart; its id. */
export async function holdRun(store: Store, { accountId, sessionId, kind = 'live', startedAt, events }: HeldRun): Promise<string> {
  const id = systemIds.uuid()
  await store.write(async (tx) => {
    await tx
      .insertInto('runs')
      .values({
        id,
        account_id: accountId,
        session_id: sessionId,
        kind,
        mode: 'isolated',
        status: 'completed',
        language: 'en',
        deck_id: null,
        created_at: startedAt,
        started_at: startedAt,
        ended_at: startedAt + events.length * 1_000,
        end_reason: 'finished',
        last_seq: events.length,
        lease_owner: null,
        epoch: 1,
        lease_until: 0,
      })
      .execute()
    if (events.length === 0) return
    const rows = events.map(({ type, data, audience }, at) => ({
      run_id: id,
      seq: at + 1,
      epoch: 1,
      at: startedAt + at * 1_000,
      audience,
      type,
      data: JSON.stringify(data),
    }))
    await tx.insertInto('run_events').values(rows).execute()
  })
  return id
}

export const slide = (index: number, title: string, text = title): NewRunEvent => ({
  type: 'slide',
  audience: 'room',
  data: { slideId: `slide-${index}`, index, title, text, imageUrl: null, reason: 'script' },
})

/** A sentence and its end. */
export const said = (beatId: string, slideIndex: number, text: string): NewRunEvent[] => [
  { type: 'beat', audience: 'room', data: { beatId, slideIndex, index: 0, kind: 'narration', phase: 'start', text } },
  { type: 'beat', audience: 'room', data: { beatId, slideIndex, index: 0, kind: 'narration', phase: 'end', spokenChars: text.length } },
]

type QuestionData = Extract<NewRunEvent, { type: 'question' }>['data']

/** A question that waits, or what has become of it. */
export const asked = (
  questionId: string,
  attendeeId: string,
  text: string,
  change: Partial<Pick<QuestionData, 'status' | 'mergedInto' | 'slideIndex'>> = {},
): NewRunEvent => ({
  type: 'question',
  audience: 'room',
  data: { questionId, text, by: { attendeeId, name: null }, status: 'queued', votes: 0, ahead: 0, slideIndex: 0, ...change },
})

/** An answer to a question, begun and ended. */
export function answered(questionId: string, text: string, outcome: 'answered' | 'near' | 'unknown' = 'answered'): NewRunEvent[] {
  const answerId = `answer-${questionId}`
  const end = { answerId, questionId, phase: 'end', text, outcome, mode: 'extractive', citations: [] } as const
  return [
    { type: 'answer', audience: 'room', data: { answerId, questionId, phase: 'start' } },
    { type: 'answer', audience: 'room', data: end },
  ]
}
