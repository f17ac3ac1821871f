// What ranking costs in CPU time: building the index of 300 slides, and one question to it. Medians of short rounds, because a shared
// machine is noisy; told as figures, never asserted in a test.
import type { DeckContent } from '@rostrum/contract/content'
import { rank } from '@rostrum/answers/ranking/rank'
import { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
import { median } from '../report.ts'
import type { Subject } from './sets.ts'
import { slideText } from '../../test/support/slides.ts'

const slideCount = 300
const rounds = 15

export interface Speed {
  buildMs: number
  questionMs: number
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The English decks over and over; each round gets words of its own, so that the vocabulary is that of a long deck. */
function longDeck(subjects: readonly Subject[]): DeckContent {
  const texts = subjects.flatMap(({ content }) => content.slides.map(({ text }) => text))
  const slides = Array.from({ length: slideCount }, (_, index) => {
    const turn = Math.floor(index / texts.length)
    const text = (texts[index % texts.length] ?? '').replace(/\b[a-z]{7,}\b/g, (word) =>
      turn === 0 ? word : `${word}${'xyz'[turn % 3]}${turn}`,
    )
    return slideText({ id: `s${index}`, index, title: text.split('\n')[0] ?? '', text })
  })
  return { title: 'Long', language: 'en', slides, passages: [] }
}

export function measureSpeed(subjects: readonly Subject[]): Speed {
  const english = subjects.filter(({ content }) => content.language === 'en')
  const content = longDeck(english)
  const questions = english.flatMap((subject) => subject.questions.map(({ text }) => text))
  const index = buildSessionIndex('speed', content)
  const ask = () => {
    for (const question of questions) rank(question, index)
  }
  for (let warm = 0; warm < 3; warm++) ask()
  const builds = Array.from({ length: rounds }, () => cpuMs(() => void buildSessionIndex('speed', content)))
  const asks = Array.from({ length: rounds }, () => cpuMs(ask) / questions.length)
  return { buildMs: median(builds), questionMs: median(asks) }
}
