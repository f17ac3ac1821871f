// The room of a talk that is kept in a file: what a server does for one attendee, done in the page. It is asked like the server, by
// `fetch`, and decides, folds and answers with the very code of the server, so that a talk goes the same way in both. It keeps nothing
// and calls nobody; `scripts/bundle.mjs` holds that it needs no module of Node.
import { signalOf } from '@rostrum/answers/intents'
import { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
import type { RoomCommand, CommandAnswer } from '@rostrum/contract/commands'
import { isSentType, type RunEvent } from '@rostrum/contract/room'
import type { Clock } from '@rostrum/base/clock'
import { createAnswering, createAnswers } from '../runs/answers.ts'
import { answerOf } from '@rostrum/stage/decide/commands'
import { type Input, orderOf, type Setting, type Task } from '@rostrum/stage/decide/draft'
import { decide, nextDue } from '@rostrum/stage/decide/machine'
import { initialState } from '@rostrum/stage/run-state'
import type { ShownRoom } from '../runs/room/rooms.ts'
import { fullSnapshot, questionView } from '../runs/stream/snapshot.ts'
import type { Searchable } from '../runs/talks.ts'
import type { SpokenClip, Talk, TalkBeat, TalkSession } from '@rostrum/contract/talk'
import type { Block } from '@rostrum/contract/block'
import type { Passage } from '@rostrum/contract/content'

/** All that a file knows of a talk: what everybody in its room may see, and nothing else. */
export interface KeptTalk {
  room: ShownRoom
  ctaRules: readonly string[]
  beats: readonly TalkBeat[]
  /** By the beat that they say. */
  clips: Readonly<Record<string, SpokenClip>>
  /** Of the slides, in their order. */
  blocks: readonly (readonly Block[])[]
  passages: readonly Passage[]
  speechWpm: number
  questionWindowMs: number
}

export interface KeptRoom {
  fetch(path: string, init?: { method?: string; headers?: unknown; body?: unknown; signal?: AbortSignal | null }): Promise<Response>
  /** Every event of the run, as it happens. */
  listen(hear: (event: RunEvent) => void): void
}

const json = (status: number, body: unknown) => Response.json(body, { status })
const missing = () => json(404, { detail: 'This page knows no such run.' })
const statusOf = { invalid_request: 400, forbidden: 403, not_found: 404, run_state: 409 } as const
const beatEveryMs = 15_000
const patienceMs = 10_000

export function createKeptRoom(kept: KeptTalk, { clock, uuid }: { clock: Clock; uuid: () => string }): KeptRoom {
  const talk = talkOf(kept)
  const session = sessionOf(kept)
  const searchable = searchableOf(kept)
  const listeners = new Set<(event: RunEvent) => void>()
  const answers = createAnswers({
    talks: { searchable: async () => searchable(), getSession: async () => session, pinnedTalk: async () => talk },
    models: null,
    meanings: null,
    isVouched: async () => false,
    leakTestOf: async () => () => false,
    isAlone: true,
  })
  let run: ReturnType<typeof begin> | null = null

  function begin(name: string | null) {
    const setting: Setting = {
      runId: uuid(),
      kind: 'live',
      mode: 'isolated',
      session,
      talk,
      order: orderOf(talk),
      showsInterest: (text) => signalOf(text) !== undefined,
      questionWindowMs: kept.questionWindowMs,
    }
    const attendeeId = uuid()
    const answering = createAnswering({ answers, clock, speechWpm: kept.speechWpm, onFault: (_, error) => console.error(error) })
    let write: ((text: string) => void) | null = null
    let cancel = () => {}
    const self = {
      runId: setting.runId,
      attendeeId,
      setting,
      state: initialState(clock.now()),
      put: (...inputs: Input[]) => inputs.forEach((input) => self.play(input)),
      play(input: Input) {
        const tasks: Task[] = []
        const step = (wanted: Input) => {
          const draft = decide(self.state, wanted, setting, { now: clock.now(), epoch: 1, streamOpen: true })
          self.state = draft.state
          tasks.push(...draft.tasks)
          draft.events.forEach(send)
          return draft.refusal
        }
        // What was due before comes before.
        step({ type: 'tick' })
        const refusal = step(input)
        for (const task of tasks) answering.perform(self, task)
        wait()
        return refusal
      },
      submit(command: RoomCommand): CommandAnswer {
        const refusal = self.play(command)
        return refusal === null ? answerOf(command, self.state, setting) : { ok: false, ...refusal }
      },
      stream(signal: AbortSignal | null | undefined): Response {
        let stop = () => {}
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            const encoder = new TextEncoder()
            write = (text) => controller.enqueue(encoder.encode(text))
            const shown = { run: { id: self.runId, kind: 'live', mode: 'isolated', language: session.language }, session, talk } as const
            const { epoch, seq } = self.state
            const viewer = { sees: attendeeId, name }
            write(`id: ${epoch}-${seq}\nevent: snapshot\ndata: ${fullSnapshot({ ...shown, state: self.state }, viewer, clock.now())}\n\n`)
            // The room takes a silent line for a broken one.
            const beat = (): (() => void) =>
              clock.after(beatEveryMs, () => {
                write?.(':\n\n')
                stop = beat()
              })
            stop = beat()
          },
          cancel() {
            stop()
            write = null
          },
        })
        signal?.addEventListener('abort', () => {
          stop()
          write = null
        })
        self.play({ kind: 'visit', id: attendeeId, attendeeId, name, attendeeKind: 'human' })
        return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
      },
      end() {
        cancel()
        answering.abortAll(self.runId)
        write = null
      },
    }
    function send(event: RunEvent) {
      const { type, seq, epoch, at, audience, prev, data } = event
      for (const hear of listeners) hear(event)
      if (audience === 'log' || !isSentType(type) || (audience !== 'room' && audience !== attendeeId)) return
      const body = JSON.stringify({ seq, at, ...(prev !== undefined && { prev }), ...data })
      write?.(`${type === 'closed' ? 'retry: 3600000\n' : ''}id: ${epoch}-${seq}\nevent: ${type}\ndata: ${body}\n\n`)
    }
    function wait() {
      cancel()
      const due = nextDue(self.state, setting, true)
      cancel = due === null ? () => {} : clock.after(Math.max(0, due.at - clock.now()), () => self.play({ type: 'tick' }))
    }
    return self
  }

  /** Of a talk that is over: the question with its answer, as no stream will tell it. */
  async function inWriting(current: NonNullable<typeof run>, id: string) {
    const until = clock.now() + patienceMs
    for (;;) {
      const question = current.state.questions.get(id)
      if (question === undefined || !current.state.closed) return undefined
      if (question.status !== 'answering' || clock.now() >= until) return questionView(question, current.state)
      await new Promise<void>((resolve) => void clock.after(20, resolve))
    }
  }

  async function act(current: NonNullable<typeof run>, kind: string, body: Record<string, unknown>): Promise<Response> {
    const { attendeeId } = current
    const id = typeof body['id'] === 'string' ? body['id'] : uuid()
    const common = { id, attendeeId }
    const command = (() => {
      switch (kind) {
        case 'questions':
          return { kind, ...common, text: '', interrupt: false, isPrivate: false, slideIndex: null, name: null, ...body }
        case 'control':
        case 'polls':
        case 'acks':
        case 'cta':
        case 'leave':
          return { kind, ...body, ...common }
        default:
          return null
      }
    })()
    if (command === null) return missing()
    // The page of this very file wrote it.
    const answer = current.submit(command as RoomCommand)
    if (!answer.ok) return json(statusOf[answer.code as keyof typeof statusOf] ?? 409, { detail: answer.detail })
    const question = kind === 'questions' ? await inWriting(current, id) : undefined
    return json(200, { ...answer.data, ...(question && { status: question.status, question }) })
  }

  return {
    async fetch(path, { body, signal } = {}) {
      const [, , , what, id, kind] = path.split('/')
      const given = typeof body === 'string' ? (JSON.parse(body) as Record<string, unknown>) : {}
      if (what === 'rooms' && kind === 'attendees') {
        run?.end()
        run = begin(typeof given['name'] === 'string' ? given['name'] : null)
        const { runId, attendeeId } = run
        return json(200, {
          attendeeId,
          attendeeToken: attendeeId,
          runId,
          stream: `/api/v1/runs/${runId}/stream`,
          mode: 'isolated',
          kind: 'live',
        })
      }
      if (what !== 'runs' || run === null || run.runId !== id) return missing()
      return kind === 'stream' ? run.stream(signal) : act(run, kind ?? '', given)
    },
    listen: (hear) => void listeners.add(hear),
  }
}

function talkOf({ room, beats, clips }: KeptTalk): Talk {
  return { deckId: '', deckVersion: room.deckVersion, slides: room.slides, beats, clipOf: (beatId) => clips[beatId] }
}

/** What no attendee is told of a session is nothing here. */
function sessionOf({ room, ctaRules }: KeptTalk): TalkSession {
  const { title, language, slug, cta, presenter, description = null, pronunciations = null } = room
  return {
    title,
    language,
    slug,
    cta,
    description,
    pronunciations,
    listenerLanguages: [],
    ctaRules: [...ctaRules],
    ...(presenter && { presenter }),
    mode: 'isolated',
    startPolicy: 'first_attendee',
    moderation: 'auto',
    voice: null,
    consentText: null,
    consentVersion: 0,
    startsAt: null,
    sessionId: '',
    accountId: '',
    deckId: '',
    status: 'published',
  }
}

/** Indexed when the first question comes. */
function searchableOf({ room, blocks, passages }: KeptTalk): () => Searchable {
  let made: Searchable | undefined
  return () => {
    if (made !== undefined) return made
    const { title, language } = room
    const slides = room.slides.map(({ id, index, title: named, text, imageUrl, width, height }) => ({
      id,
      index,
      title: named ?? '',
      text: text ?? '',
      blocks: blocks[index] ?? [],
      image: imageUrl === null ? null : { imageUrl, width: width ?? 0, height: height ?? 0, srcset: '' },
    }))
    const deck = { deckId: '', version: room.deckVersion, title, language, slides, passages }
    made = { deck, passages, index: buildSessionIndex('', deck) }
    return made
  }
}
