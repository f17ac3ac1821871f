// The decks as people also bring them: a slide or two alone, and closed by a slide that says again what mattered.
import type { Subject } from './sets.ts'
import { slideText } from '../../test/support/slides.ts'

/** Every slide a deck of its own, asked what it holds, and whatever is off the subject of its deck. */
export function alone(deck: Subject): Subject[] {
  return deck.content.slides.map((slide, at) => ({
    ...deck,
    id: `${deck.id} ${at}`,
    content: { ...deck.content, slides: [{ ...slide, index: 0 }], passages: [] },
    questions: deck.questions.flatMap((question) => {
      if (question.kind === 'off-topic') return [question]
      const isHere = question.kind === 'answerable' && question.source?.type === 'slide' && question.source.index === at
      return isHere ? [{ ...question, source: { type: 'slide' as const, index: 0 } }] : []
    }),
  }))
}

/** The deck with a last slide of every line that answers one of its questions. */
export function recapped(deck: Subject): Subject {
  const { slides } = deck.content
  const lines = deck.questions.flatMap(({ kind, source, answers: [answer = ''] }) => {
    if (kind !== 'answerable' || source?.type !== 'slide') return []
    const held = slides[source.index]?.text.split('\n').find((line) => line.toLowerCase().includes(answer.toLowerCase()))
    return held === undefined ? [] : [`- ${held.replace(/^\W+/u, '')}`]
  })
  const title = 'Key takeaways'
  const last = slideText({ id: `${deck.id}-recap`, index: slides.length, title, text: [title, ...new Set(lines)].join('\n') })
  return { ...deck, content: { ...deck.content, slides: [...slides, last] } }
}
