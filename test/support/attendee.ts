// A person in a room, over the public API: joins, follows the stream, says that each sentence was heard, asks, leaves.
import { eventually, settle } from './clock.ts'
import type { Answer, RoomMessage, TestService } from './service.ts'

export interface Attendee {
  attendeeId: string
  token: string
  runId: string
  messages: RoomMessage[]
  /** POSTs to the run as this attendee. */
  act(path: string, body?: Record<string, unknown>): Promise<Answer>
  /** Acknowledges every sentence begun and not yet acknowledged; true if there was one. */
  hear(): Promise<boolean>
  /** Reads what the stream has so far. */
  read(): Promise<void>
  /** Goes through the talk until the run has this status, or nothing moves any more. */
  until(status: string): Promise<void>
  /** Hears the talk until so many answers have been given; a model takes its own time for each. */
  answered(count: number): Promise<void>
  status(): string
  close(): Promise<void>
}

type App = Pick<TestService, 'api' | 'clock' | 'service' | 'store' | 'stream'>

let counter = 0
const nextId = () => `0198c1d2-7a53-7c1e-9a40-${(++counter).toString(16).padStart(12, '0')}`

export async function joinTalk(app: App, key: string, body: Record<string, unknown> = {}): Promise<Attendee> {
  const { body: joined, status } = await app.api('POST', `/api/v1/rooms/${key}/attendees`, body, null)
  if (status !== 200) throw new Error(`Joining answered ${status}: ${JSON.stringify(joined)}`)
  const { attendeeId, attendeeToken: token, runId } = joined
  const messages: RoomMessage[] = []
  const heard = new Set<string>()
  const stream = await app.stream(`/api/v1/runs/${runId}/stream`, token)

  const read = async () => {
    for (const message of await stream.read()) messages.push(message)
  }
  const act: Attendee['act'] = (path, sent = {}) => app.api('POST', `/api/v1/runs/${runId}/${path}`, { id: nextId(), ...sent }, token)
  const hear = async () => {
    await read()
    const begun = messages.flatMap(({ event, data }) => {
      if (event === 'beat' && data.phase === 'start') return [data.beatId as string]
      return event === 'answer' && data.phase === 'sentence' ? [`${data.answerId}:${data.index}`] : []
    })
    const fresh = begun.filter((beatId) => !heard.has(beatId))
    for (const beatId of fresh) heard.add(beatId)
    if (fresh.length > 0) await act('acks', { acks: fresh.map((beatId) => ({ beatId, phase: 'ended' })) })
    return fresh.length > 0
  }
  const status_ = () => {
    const last = messages.findLast(({ event }) => event === 'state' || event === 'snapshot')
    return String(last?.data.status ?? last?.data.run?.status)
  }
  return {
    attendeeId,
    token,
    runId,
    messages,
    act,
    hear,
    read,
    status: status_,
    answered: (count) =>
      eventually(async () => {
        await hear()
        return messages.filter(({ event, data }) => event === 'answer' && data.phase === 'end').length >= count
      }),
    async until(wanted) {
      for (let turn = 0; turn < 400; turn++) {
        const moved = await hear()
        if (status_() === wanted) return
        // Time passes only when nothing more is said.
        await (moved ? settle() : app.clock.advance(250))
      }
      throw new Error(`The run is ${status_()}, not ${wanted}.`)
    },
    close: () => stream.close(),
  }
}
