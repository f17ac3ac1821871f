// A run of the fake room: an append-only log with the names and shapes of the real stream, driven by acknowledgements, or in a
// broadcast by the test. It knows no time of its own.
import { estimateMs } from '../src/room/voice/estimate.ts'
import type { QuestionStatus } from '@rostrum/contract/answer'
import type { RunStatus } from '../src/room/stream/wire.ts'
import { beats, slides } from './scripted-talk.ts'

export interface LoggedEvent {
  seq: number
  event: string
  data: Record<string, unknown>
  audience: string
}

interface AskedQuestion {
  questionId: string
  text: string
  by: { attendeeId: string; name: string | null }
  status: QuestionStatus
  votes: number
  slideIndex: number
}

export interface FakeRunOptions {
  mode: 'isolated' | 'broadcast'
  /** Multiplies every duration. */
  pace: number
  now: () => number
}

const answerText = [
  'Slide 5 says: “A heated enclosure costs two percent of the energy and removes the problem.”',
  'Below minus ten degrees a battery loses a fifth of its power.',
]

export function fakeRun(options: FakeRunOptions) {
  const log: LoggedEvent[] = []
  const listeners = new Set<() => void>()
  const questions = new Map<string, AskedQuestion>()
  let status: RunStatus = 'lobby'
  let next = 0
  let running: string | null = null
  let speed = 1
  let prev = 0
  let spokenAnswer: { questionId: string; answerId: string; heard: number } | null = null
  let cta: 'hidden' | 'shown' = 'hidden'

  const append = (event: string, data: Record<string, unknown>, audience = 'room') => {
    const seq = log.length + 1
    const full = { ...data, seq, at: options.now(), ...(audience === 'room' ? { prev } : { private: true }) }
    log.push({ seq, event, data: full, audience })
    if (audience === 'room') prev = seq
    for (const listener of listeners) listener()
  }
  const enter = (to: RunStatus, by = 'script') => {
    if (to === status) return
    append('state', { status: to, previous: status, by, speed })
    status = to
  }
  const tell = (question: AskedQuestion) => {
    const ahead = [...questions.values()].filter((other) => other.status === 'queued' && other !== question).length
    append('question', { ...question, ahead })
  }
  const showOffer = () => {
    if (cta === 'shown') return
    cta = 'shown'
    append('cta', { state: 'shown', text: 'Book a 20 min call', url: 'https://northwind.example/call', kind: 'link', rule: 'slide:s4' })
  }

  const speakNext = () => {
    const waiting = [...questions.values()].find((question) => question.status === 'queued')
    if (waiting !== undefined) return answer(waiting)
    if (status === 'answering') enter('presenting')
    const beat = beats[next]
    if (beat === undefined) {
      showOffer()
      return enter('closing')
    }
    const before = beats[next - 1]
    if (before?.slideIndex !== beat.slideIndex)
      append('slide', { slideId: slides[beat.slideIndex]?.id, index: beat.slideIndex, reason: 'script' })
    if (beat.slideIndex === 3) showOffer()
    running = beat.beatId
    const estMs = Math.round((estimateMs(beat.text) * options.pace) / speed)
    append('beat', { ...beat, phase: 'start', estMs, startedAt: options.now(), clause: 0 })
  }
  const endBeat = (phase: 'end' | 'cut', chars?: number) => {
    const beat = beats[next]
    if (beat === undefined || running === null) return
    running = null
    append('beat', { ...beat, phase, spokenChars: chars ?? beat.text.length })
    if (phase === 'end') {
      next++
      speakNext()
    }
  }
  const answer = (question: AskedQuestion) => {
    enter('answering')
    question.status = 'answering'
    tell(question)
    const answerId = `a-${question.questionId}`
    spokenAnswer = { questionId: question.questionId, answerId, heard: 0 }
    append('answer', { answerId, questionId: question.questionId, phase: 'start' })
    answerText.forEach((text, index) => {
      const citations = [{ n: index + 1, type: 'slide', id: 's5', index: 4, title: 'Where it fails', quote: text }]
      append('answer', {
        answerId,
        questionId: question.questionId,
        phase: 'sentence',
        index,
        text,
        citations,
        estMs: estimateMs(text) * options.pace,
      })
    })
  }
  const endAnswer = () => {
    if (spokenAnswer === null) return
    const { questionId, answerId } = spokenAnswer
    spokenAnswer = null
    append('answer', {
      answerId,
      questionId,
      phase: 'end',
      text: answerText.join(' '),
      outcome: 'answered',
      mode: 'extractive',
      citations: [
        { n: 1, type: 'slide', id: 's5', index: 4, title: 'Where it fails', quote: answerText[0] },
        {
          n: 2,
          type: 'knowledge',
          id: 'k1',
          index: 0,
          title: 'Cold weather notes',
          quote: 'Below minus ten degrees a battery loses a fifth of its power.',
        },
      ],
    })
    const question = questions.get(questionId)
    if (question !== undefined) {
      question.status = 'answered'
      tell(question)
    }
    speakNext()
  }

  return {
    log,
    listen(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start: () => {
      if (status !== 'lobby') return
      enter('presenting', 'attendee')
      speakNext()
    },
    ack(acks: readonly { beatId: string; phase: string; chars?: number }[]) {
      for (const ack of acks) {
        if (ack.beatId === running) endBeat(ack.phase === 'cut' ? 'cut' : 'end', ack.chars)
        else if (spokenAnswer !== null && ack.beatId.startsWith(spokenAnswer.answerId) && ++spokenAnswer.heard >= answerText.length)
          endAnswer()
      }
    },
    ask(id: string, text: string, by: { attendeeId: string; name: string | null }, interrupt: boolean) {
      const known = questions.get(id)
      if (known !== undefined) return known
      const question: AskedQuestion = { questionId: id, text, by, status: 'queued', votes: 0, slideIndex: beats[next]?.slideIndex ?? 0 }
      questions.set(id, question)
      tell(question)
      if (interrupt || status === 'closing' || running === null) {
        if (running !== null) endBeat('cut', 0)
        if (spokenAnswer === null) speakNext()
      }
      return question
    },
    /** What is being said is over. */
    goOn: () => (spokenAnswer === null ? endBeat('end') : endAnswer()),
    /** The slide that is shown. */
    slideIndex: () => beats[next]?.slideIndex ?? slides.length - 1,
    /** A question that only waits. */
    hold(id: string, text: string, by: { attendeeId: string; name: string | null }) {
      const question: AskedQuestion = { questionId: id, text, by, status: 'queued', votes: 0, slideIndex: 0 }
      questions.set(id, question)
      tell(question)
    },
    control(action: string, body: Record<string, unknown>) {
      if (action === 'start') return this.start()
      if (action === 'pause') {
        if (status !== 'presenting') return
        if (running !== null) endBeat('cut', 0)
        enter('paused', 'attendee')
      } else if (action === 'resume') {
        if (status !== 'paused') return
        enter('presenting', 'attendee')
        speakNext()
      } else if (action === 'finish') enter('completed', 'attendee')
      else if (action === 'speed') {
        speed = Number(body.speed)
        append('state', { status, previous: status, by: 'attendee', speed })
      } else if (['next', 'previous', 'repeat', 'goto'].includes(action)) {
        if (status !== 'presenting' && status !== 'paused') return
        const here = this.slideIndex()
        const to = action === 'goto' ? Number(body.slideIndex) : action === 'next' ? here + 1 : action === 'previous' ? here - 1 : here
        if (running !== null) endBeat('cut', 0)
        next = Math.max(
          0,
          beats.findIndex((beat) => beat.slideIndex === to),
        )
        append('slide', { slideId: slides[to]?.id, index: to, reason: 'attendee' })
        if (status !== 'paused') {
          enter('presenting', 'attendee')
          speakNext()
        }
      }
    },
    state: (to: RunStatus, by = 'host') => enter(to, by),
    presentTo: (attendeeId: string) => ({
      presence: {
        count: options.mode === 'broadcast' ? 12 : 1,
        hands: 0,
        reactions: { agree: 0, like: 2, aha: 0 },
        people: options.mode === 'broadcast' ? ['M', 'T'] : [],
      },
      you: {
        attendeeId,
        name: null,
        questions: [...questions.values()].filter((question) => question.by.attendeeId === attendeeId),
        cta: null,
        lead: null,
      },
      at: options.now(),
    }),
    snapshot(attendeeId: string) {
      const spoken = log.filter((each) => each.event === 'beat' && each.data.phase === 'start').map((each) => each.data)
      const here = Number(log.findLast((each) => each.event === 'slide')?.data.index ?? 0)
      return {
        resumed: false,
        run: { id: 'run', kind: 'live', mode: options.mode, status, speed },
        slides,
        position:
          status === 'lobby' ? null : { slideIndex: here, slideId: slides[here]?.id, beat: running === null ? null : spoken.at(-1) },
        recap: slides.slice(0, here).map((slide) => ({
          slideIndex: slide.index,
          title: slide.title,
          line: (slide.text ?? '').split('\n')[1]?.replace(/^- /, '') ?? '',
        })),
        captions: spoken.slice(-20),
        questions: [...questions.values()],
        cta: cta === 'shown' ? { state: 'shown', text: 'Book a 20 min call', url: 'https://northwind.example/call', kind: 'link' } : null,
        ...this.presentTo(attendeeId),
      }
    },
  }
}

export type FakeRun = ReturnType<typeof fakeRun>
