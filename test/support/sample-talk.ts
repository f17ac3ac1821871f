// A small talk for tests: slides with beats of two clauses, an opening and a closing of two beats, and silences of each kind between.
import { newColumns, talkSettings } from '@rostrum/contract/session'
import type { Talk, TalkBeat, TalkSession } from '@rostrum/contract/talk'

/** None, two that end their sentence in a broadcast, and one that begins with its end. */
const pausesMs = [0, 250, 500, 2_000] as const

export function sampleTalk(slideCount = 3, beatsPerSlide = 2): Talk {
  const slides = Array.from({ length: slideCount }, (_, index) => ({
    id: `slide-${index}`,
    index,
    title: `Slide ${index + 1}`,
    text: `Slide ${index + 1}\nFitted with ${index + 2} bolts in 6 minutes.`,
    imageUrl: null,
    width: null,
    height: null,
  }))
  const beats: TalkBeat[] = []
  const add = (slideIndex: number, kind: TalkBeat['kind'], text: string) => {
    const index = beats.filter((beat) => beat.slideIndex === slideIndex).length
    const clauses = [0, text.indexOf(',') + 1 || text.length].filter((offset, i, all) => all.indexOf(offset) === i && offset < text.length)
    const sources = [{ type: 'slide' as const, id: `slide-${slideIndex}`, index: slideIndex }]
    beats.push({
      beatId: `beat-${beats.length}`,
      slideId: `slide-${slideIndex}`,
      slideIndex,
      index,
      kind,
      text,
      sources,
      estMs: text.length * 60,
      clauses,
      pauseMs: pausesMs[beats.length % pausesMs.length] ?? 0,
    })
  }
  for (const slide of slides) {
    if (slide.index === 0) add(0, 'opening', 'Welcome to this talk, which an automated presenter gives.')
    for (let n = 0; n < beatsPerSlide; n++) {
      add(
        slide.index,
        n === 0 ? 'title' : 'narration',
        `This is point ${n + 1} of slide ${slide.index + 1}, and here is its second clause.`,
      )
    }
  }
  add(slideCount - 1, 'closing', 'These three things mattered, so remember them.')
  add(slideCount - 1, 'closing', 'Thank you for your time, and goodbye.')
  return { deckId: 'deck-1', deckVersion: 1, slides, beats }
}

export function sampleSession(change: Partial<TalkSession> = {}): TalkSession {
  return {
    sessionId: '00000000-0000-4000-8000-000000000001',
    accountId: '00000000-0000-4000-8000-0000000000aa',
    deckId: 'deck-1',
    ...talkSettings(newColumns({ title: 'Sample talk', ctaRules: ['end', 'slide:slide-1', 'intent', 'seconds:30'] })),
    slug: 'sample-talk-abc234',
    status: 'published',
    cta: { text: 'Book a fitting', url: 'https://example.com/book', kind: 'link' },
    consentVersion: 1,
    startsAt: null,
    ...change,
  }
}

/** The same, which asks its room after each of its first three slides: a quiz, a word, a rating. */
export function askingTalk(talk: Talk = sampleTalk()): Talk {
  const asked: NonNullable<TalkBeat['poll']>[] = [
    { pollId: 'quiz', kind: 'choice', question: 'How many bolts?', options: ['Two', 'Three', 'Four'], right: 1 },
    { pollId: 'words', kind: 'words', question: 'What comes to mind?' },
    { pollId: 'rating', kind: 'rating', question: 'How clear was that?' },
  ]
  const beats = talk.slides.flatMap(({ id, index: slideIndex }) => {
    const own = talk.beats.filter((beat) => beat.slideIndex === slideIndex)
    const end = own.findIndex(({ kind }) => kind === 'closing')
    const [told, closing] = end === -1 ? [own, []] : [own.slice(0, end), own.slice(end)]
    const poll = asked[slideIndex]
    if (poll === undefined) return own
    const common = { slideId: id, slideIndex, kind: 'narration' as const, sources: [], clauses: [0], estMs: 1_500, pauseMs: 250 }
    const question: TalkBeat = { ...common, beatId: `ask-${poll.pollId}`, index: told.length, text: poll.question, waitMs: 20_000, poll }
    const result: TalkBeat = {
      ...common,
      beatId: `result-${poll.pollId}`,
      index: told.length + 1,
      text: 'Here is what you said.',
      resultOf: poll.pollId,
    }
    return [...told, question, result, ...closing.map((beat) => ({ ...beat, index: beat.index + 2 }))]
  })
  return { ...talk, beats }
}
