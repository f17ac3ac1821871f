// Reads the two question sets into one shape: decks (committed, decks.json) and prose (SQuAD 2.0 articles, read where the caller points).
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { DeckContent } from '@rostrum/contract/content'
import { titleOf } from '@rostrum/deck/block-text'
import { slideText } from '../../test/support/slides.ts'

const sourceSchema = z.object({ type: z.enum(['slide', 'knowledge']), index: z.number() })

const decksSchema = z.object({
  decks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      language: z.string(),
      slides: z.array(z.object({ textContent: z.string(), agentNotes: z.string().optional() })),
      knowledgeBase: z.array(z.object({ title: z.string().optional(), content: z.string() })),
      questions: z.array(
        z.object({
          id: z.string(),
          question: z.string(),
          answerable: z.boolean(),
          source: sourceSchema.optional(),
          answer: z.string().optional(),
          kind: z.enum(['near-topic', 'off-topic']).optional(),
        }),
      ),
    }),
  ),
})

const proseSchema = z.object({
  articles: z.array(
    z.object({
      title: z.string(),
      passages: z.array(z.string()),
      questions: z.array(
        z.object({ id: z.string(), passage: z.number(), question: z.string(), answers: z.array(z.string()), answerable: z.boolean() }),
      ),
      offTopic: z.array(z.object({ id: z.string(), question: z.string() })),
    }),
  ),
})

export type QuestionKind = 'answerable' | 'near-topic' | 'off-topic' | 'adversarial'

export interface Question {
  id: string
  text: string
  kind: QuestionKind
  source?: { type: 'slide' | 'knowledge'; index: number }
  answers: readonly string[]
}

/** One deck or article with what is asked about it. */
export interface Subject {
  id: string
  kind: 'deck' | 'prose'
  content: DeckContent
  /** Private notes by slide, for the leak checks of the bench alone. */
  notes: readonly string[]
  questions: readonly Question[]
}

function readJson(path: string | URL): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

export function readDecks(path: string | URL = new URL('decks.json', import.meta.url)): Subject[] {
  return decksSchema.parse(readJson(path)).decks.map((deck) => ({
    id: deck.id,
    kind: 'deck',
    content: {
      title: deck.title,
      language: deck.language,
      slides: deck.slides.map(({ textContent }, index) =>
        slideText({
          id: `${deck.id}-s${index}`,
          index,
          title: titleOf(textContent),
          text: textContent,
        }),
      ),
      passages: deck.knowledgeBase.map(({ title, content }, index) => ({
        id: `${deck.id}-k${index}`,
        index,
        content,
        ...(title === undefined ? {} : { title }),
      })),
    },
    notes: deck.slides.map(({ agentNotes }) => agentNotes ?? ''),
    questions: deck.questions.map((question) => ({
      id: question.id,
      text: question.question,
      kind: question.answerable ? 'answerable' : (question.kind ?? 'near-topic'),
      answers: question.answer === undefined ? [] : [question.answer],
      ...(question.source === undefined ? {} : { source: question.source }),
    })),
  }))
}

export function readProse(path: string): Subject[] {
  return proseSchema.parse(readJson(path)).articles.map((article) => ({
    id: article.title,
    kind: 'prose',
    content: {
      title: article.title,
      language: 'en',
      slides: [],
      passages: article.passages.map((content, index) => ({ id: `p${index}`, index, content })),
    },
    notes: [],
    questions: [
      ...article.questions.map((question): Question => ({
        id: question.id,
        text: question.question,
        kind: question.answerable ? 'answerable' : 'adversarial',
        answers: question.answers,
        source: { type: 'knowledge', index: question.passage },
      })),
      ...article.offTopic.map((question): Question => ({ id: question.id, text: question.question, kind: 'off-topic', answers: [] })),
    ],
  }))
}
