// One running broadcast for the fake API: a stream that starts with a snapshot and follows the host's controls.
import { systemClock } from '@rostrum/base/clock'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fakeDeck, fakeQuestions, fakeScript, runId, sessionId } from './fake-data.ts'

export interface FakeRun {
  /** True when the request was the run's. */
  serve(request: IncomingMessage, response: ServerResponse, url: URL): boolean
  close(): void
}

export function openFakeRun(): FakeRun {
  const slides = fakeDeck(sessionId).slides.map((slide) => ({ ...slide, text: slide.textContent ?? '' }))
  const script = fakeScript()
  const streams = new Set<ServerResponse>()
  let seq = 40
  let status = 'presenting'
  let slideIndex = 3
  const questions = fakeQuestions().map((question) => ({
    questionId: question.questionId,
    text: question.text,
    by: { attendeeId: question.questionId, name: question.by.name },
    status: question.status as string,
    votes: question.votes,
    ahead: 0,
    slideIndex: question.slideIndex,
  }))
  const beat = () => {
    const found = script.find((one) => one.slideIndex === slideIndex && one.index === 1) ?? script[0]
    return { ...found, phase: 'start', startedAt: systemClock.now(), clause: 0 }
  }
  const emit = (event: string, data: object) => {
    const prev = seq++
    for (const stream of streams)
      stream.write(`id: 1-${seq}\nevent: ${event}\ndata: ${JSON.stringify({ seq, prev, at: systemClock.now(), ...data })}\n\n`)
  }
  const snapshot = () => ({
    seq,
    prev: 0,
    at: systemClock.now(),
    resumed: false,
    run: { id: runId, kind: 'live', mode: 'broadcast', status, language: 'en', startedAt: systemClock.now() - 540_000, speed: 1 },
    session: {
      title: 'Grid storage in 12 minutes',
      slug: 'grid-storage-in-12-minutes-k3v9qa',
      disclosure: 'An automated presenter gives this talk.',
    },
    deckVersion: 2,
    slides,
    position: { slideIndex, slideId: slides[slideIndex]?.id, beat: beat() },
    recap: [],
    captions: script.filter((one) => one.slideIndex < slideIndex).map((one) => ({ ...one, phase: 'end', startedAt: 0, clause: 0 })),
    questions,
    cta: { state: 'hidden', text: 'Book a 20 min call', url: 'https://example.com/call', kind: 'link' },
    presence: { count: 12, hands: 1, reactions: { agree: 3, like: 0, aha: 1 }, people: ['M', 'T'] },
    you: { attendeeId: null, name: null, questions: [], cta: null, lead: null, allowed: [] },
  })
  const show = (index: number) => {
    slideIndex = Math.min(slides.length - 1, Math.max(0, index))
    const slide = slides[slideIndex]
    if (slide === undefined) return
    emit('slide', { slideId: slide.id, index: slideIndex, title: slide.title, text: slide.text, imageUrl: slide.imageUrl, reason: 'host' })
    emit('beat', beat())
  }
  const move = (next: string) => {
    const previous = status
    status = next
    emit('state', { status, previous, by: 'host' })
  }
  const act: Record<string, (body: Record<string, unknown>) => void> = {
    start: () => move('presenting'),
    pause: () => move('paused'),
    resume: () => move('presenting'),
    next: () => show(slideIndex + 1),
    previous: () => show(slideIndex - 1),
    goto: ({ slideIndex: to }) => show(Number(to)),
    take_over: () => move('handed_over'),
    hand_back: () => move('presenting'),
    end: () => move(status === 'closing' ? 'completed' : 'closing'),
    approve_question: ({ questionId }) => settle(questionId, 'queued'),
    hide_question: ({ questionId }) => settle(questionId, 'hidden'),
    answer_text: ({ questionId }) => settle(questionId, 'answered'),
  }
  const settle = (questionId: unknown, to: string) => {
    const question = questions.find((one) => one.questionId === questionId)
    if (question !== undefined) emit('question', Object.assign(question, { status: to }))
  }
  return {
    serve(request, response, url) {
      if (url.pathname === `/api/v1/runs/${runId}/stream`) {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
        response.write(`id: 1-${seq}\nevent: snapshot\ndata: ${JSON.stringify(snapshot())}\n\n`)
        streams.add(response)
        response.on('close', () => streams.delete(response))
        return true
      }
      if (url.pathname !== `/api/v1/runs/${runId}/host`) return false
      void (async () => {
        let text = ''
        for await (const chunk of request) text += String(chunk)
        const body = JSON.parse(text) as Record<string, unknown>
        act[String(body['action'])]?.(body)
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ status }))
      })()
      return true
    },
    close() {
      for (const stream of streams) stream.end()
    },
  }
}
