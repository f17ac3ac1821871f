// Sits through a run as its only attendee: hears everything at a multiple of the spoken pace and asks what the plan says, spread over
// the talk. It uses the very commands a browser would send.
import type { RoomCommand } from '../command.ts'
import type { RunState } from '../state/run-state.ts'
import type { Tail } from '../stream/tail.ts'
import type { RehearsalPlan } from './plan.ts'
import type { RehearsalDeps } from './rehearsal-deps.ts'

/** Longer than any talk at the least speed. */
const patienceMs = 30 * 60_000

export interface Seat {
  runId: string
  attendeeId: string
}

/** Resolves with the last state, once the run has closed or patience is over. */
export function attend({ room, onFault }: RehearsalDeps, tail: Tail, { runId, attendeeId }: Seat, plan: RehearsalPlan): Promise<RunState> {
  const { desk, presence, clock, ids } = room
  const everyBeats = Math.max(1, Math.floor((tail.talk.beats.length - 1) / Math.max(1, plan.questions.length)))
  const heard = new Set<string>()
  const questions = [...plan.questions]
  let beats = 0
  let hasFinished = false

  const send = (command: RoomCommand): void => void desk.submit(runId, command).catch((error: unknown) => onFault(runId, error))
  const control = (action: 'start' | 'finish'): void => send({ kind: 'control', id: ids.uuid(), attendeeId, action })

  function ask(): void {
    const question = questions.shift()
    if (question === undefined) return
    const { id, text } = question
    send({ kind: 'questions', id, attendeeId, text, name: null, interrupt: false, isPrivate: false, slideIndex: null })
  }

  /** Acknowledges each utterance once, after its time at the speed of the rehearsal. */
  function hear(key: string, beatId: string, estMs: number): void {
    if (heard.has(key)) return
    heard.add(key)
    clock.after(Math.ceil(estMs / plan.speed), () => send({ kind: 'acks', id: ids.uuid(), attendeeId, acks: [{ beatId, phase: 'ended' }] }))
  }

  function follow({ speaking, answer, status, windowUntil, waiting }: RunState): void {
    if (speaking !== null) {
      const key = `${speaking.beatId}@${speaking.startedAt}`
      if (!heard.has(key) && ++beats % everyBeats === 0) ask()
      hear(key, speaking.beatId, speaking.estMs)
    }
    const sentence = answer?.sentences[answer.heard]
    if (answer !== null && sentence !== undefined) {
      const utterance = `${answer.answerId}:${answer.heard}`
      hear(utterance, utterance, sentence.estMs)
    }
    if (status !== 'closing' || windowUntil === null || waiting.length > 0 || hasFinished) return
    if (questions.length > 0) return ask()
    hasFinished = true
    control('finish')
  }

  return new Promise((resolve) => {
    const stay = { openedAt: clock.now(), supersede: () => undefined }
    presence.open({ attendeeId, runId, name: null, kind: 'agent', node: presence.node }, stay, false)
    const cancel = clock.after(patienceMs, end)
    const stop = tail.onAdvance(() => (tail.state.closed ? end() : follow(tail.state)))
    function end(): void {
      cancel()
      stop()
      presence.close(attendeeId, stay)
      resolve(tail.state)
    }
    control('start')
  })
}
