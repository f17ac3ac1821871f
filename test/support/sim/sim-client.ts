// An attendee's client in a simulated room: the reducer of the real room page, fed from a stream that drops, resumed from its cursor.
// It remembers where it began, so that its state can be held against that of one who never dropped.
import type { Message, TestStream } from '../test-stream.ts'
import type { TestAttendee } from '../live.ts'
import { reduce } from '../../../web/src/room/stream/reduce.ts'
import { initialState } from '../../../web/src/room/stream/state.ts'
import type { RoomMessage } from '../../../web/src/room/stream/wire.ts'
import type { SimProcess } from './mortal-process.ts'

/** As the page reads it: what the stream sends has been held against its shape. */
export const roomMessage = ({ id, event, data }: Message): RoomMessage => ({ event, id, data }) as unknown as RoomMessage

/** A beat or sentence that the client is to say. */
export interface Utterance {
  id: string
  length: number
}

export class SimClient {
  readonly attendee: TestAttendee
  state = initialState()
  /** The snapshot from which `state` was folded. */
  first: RoomMessage | null = null
  /** Pages that were loaded anew: the snapshot that the old page had begun from, and the one that the new page got. */
  readonly reloads: { before: RoomMessage; after: RoomMessage }[] = []
  /** Events that came twice or too early. */
  readonly gaps: string[] = []
  /** What was acknowledged: the farthest character of a cut, or Infinity for the whole. */
  readonly heard = new Map<string, number>()
  /** Questions of which the page has shown whether their contact details may be sent; a reload takes nothing from who saw it. */
  readonly prompts = new Set<string>()
  hasStarted = false
  isGone = false
  #before: RoomMessage | null = null
  #stream: TestStream | undefined
  #read = 0
  #host: SimProcess | undefined

  constructor(attendee: TestAttendee) {
    this.attendee = attendee
  }

  get isClosed(): boolean {
    return this.state.closed !== null && this.state.closed !== 'superseded'
  }

  get isConnected(): boolean {
    return this.#stream?.isOpen() === true
  }

  isOn(process: SimProcess): boolean {
    return this.#host === process
  }

  /** `polls`: by long polls instead of a stream. */
  async connect(process: SimProcess, polls = false): Promise<void> {
    this.#stream?.close()
    this.#host = process
    this.#read = 0
    const { principal, runId } = this.attendee
    const from = this.state.cursor ?? undefined
    try {
      this.#stream = polls ? process.room.polls(principal, runId, from) : await process.room.stream(principal, runId, from)
    } catch {
      this.#stream = undefined
    }
  }

  drop(): void {
    this.#stream?.close()
    this.#stream = undefined
  }

  /** The page is loaded anew: nothing of what it knew is left. */
  reload(): void {
    this.drop()
    this.#before ??= this.first
    this.first = null
    this.state = initialState()
  }

  /** Applies what has arrived; returns the utterances that were begun and wait for an acknowledgement. */
  pump(): Utterance[] {
    const begun: Utterance[] = []
    const messages = this.#stream?.messages ?? []
    // What comes behind `closed` is not read: the page has gone.
    for (; this.#read < messages.length && !this.isClosed; this.#read++) {
      const raw = messages[this.#read]
      const message = raw === undefined ? null : roomMessage(raw)
      if (message === null) continue
      this.#apply(message)
      begun.push(...begunIn(message))
    }
    return begun
  }

  #apply(message: RoomMessage): void {
    if (message.event === 'snapshot' && !message.data.resumed) {
      if (this.#before !== null) this.reloads.push({ before: this.#before, after: message })
      this.#before = null
      this.first = message
    }
    if (message.event === 'beat') this.hasStarted = true
    for (const questionId of promptsIn(message)) this.prompts.add(questionId)
    const applied = reduce(this.state, message)
    if (applied.type !== 'applied') this.gaps.push(`${applied.type}: ${message.id ?? ''} ${message.event} after ${this.state.seq}`)
    if (applied.type !== 'gap') this.state = applied.state
  }
}

function promptsIn(message: RoomMessage): string[] {
  // The page draws no such button: its types do not know of it.
  const asks = (words: unknown) => JSON.stringify(words ?? null).includes('"type":"submit_lead"')
  if (message.event === 'answer') return asks(message.data) ? [message.data.questionId ?? ''] : []
  if (message.event !== 'snapshot') return []
  const own = message.data.you?.questions ?? []
  return own.filter(({ notice }) => asks(notice)).map((question) => question.questionId)
}

function begunIn(message: RoomMessage): Utterance[] {
  switch (message.event) {
    case 'snapshot': {
      const beat = message.data.resumed ? null : (message.data.position?.beat ?? null)
      return beat?.phase === 'start' ? [{ id: beat.beatId, length: beat.text?.length ?? 0 }] : []
    }
    case 'beat':
      return message.data.phase === 'start' ? [{ id: message.data.beatId, length: message.data.text?.length ?? 0 }] : []
    case 'answer': {
      const { phase, answerId, index, text = '' } = message.data
      return phase === 'sentence' ? [{ id: `${answerId}:${index ?? 0}`, length: text.length }] : []
    }
    default:
      return []
  }
}
