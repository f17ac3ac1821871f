// The sets that rules are counted on. The committed decks of bench/qa: their questions, and whether the talk says what is asked for. A
// folder of real decks with what is true of them (`truth.json`, `questions.json`, and `points.json` where there is one).
import { existsSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { z } from 'zod'
import type { DeckContent } from '@rostrum/contract/content'
import { titleOfFile } from '@rostrum/contract/file-title'
import { languageOfSlides } from '../../packages/deck/language.ts'
import { openPptx } from '../../packages/deck/office/pptx.ts'
import { openPdf } from '../../packages/deck/render/pdf.ts'
import type { RenderedPage } from '../../packages/deck/protocol.ts'
import { compileScript } from '@rostrum/telling/compile'
import { quotedAnswer } from '@rostrum/answers/answer'
import type { AnswerEnd, Turn } from '@rostrum/answers/answer-part'
import { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
import { askFollowUps } from '../qa/follow-ups.ts'
import { askAll, citesRight, isAnswered, isPlain, quotesAnswer, type Asked } from '../qa/score.ts'
import { readDecks, readProse, type Subject } from '../qa/sets.ts'
import { faultOf, isTitle } from './faults.ts'
import type { Rule } from './table.ts'

/** Whether each thing that is counted is right, by its name. */
export type Points = ReadonlyMap<string, boolean>

export interface Set {
  name: string
  /** As the rules are switched now: all, or what the one that is off may change. */
  count(off?: Rule): Promise<Points>
}

const isOfAnswers = (off: Rule | undefined): boolean => off?.layer === 'ranking' || off?.layer === 'answers'
/** A rule for PDFs reads no presentation. */
const isReadBy = (name: string, off: Rule | undefined): boolean =>
  off?.layer !== 'reading' || off.file.startsWith('deck/pdf/') === (extname(name) === '.pdf')

function told(points: Map<string, boolean>, id: string, content: DeckContent, slides: Parameters<typeof compileScript>[0]['slides']) {
  const { title, language, passages } = content
  const { beats } = compileScript({ title, language, slides, passages })
  const onSlide = (index: number) => beats.filter(({ slideIndex }) => slideIndex === index).map(({ text }) => text)
  const heard = new globalThis.Set<string>()
  for (const { index } of slides) points.set(`${id} ${index + 1} heard`, faultOf(onSlide(index), language, heard) === undefined)
  return (index: number) => onSlide(index).join(' ')
}

function ofQuestion(asked: Asked): boolean {
  if (asked.question.kind === 'off-topic') return !isAnswered(asked)
  if (asked.question.kind !== 'answerable') return !isPlain(asked)
  return isAnswered(asked) && quotesAnswer(asked) && (asked.question.source === undefined || citesRight(asked))
}

/** Articles that somebody has at hand: bench/qa/sets.ts says where from. */
export function articles(path: string): Set {
  const all = readProse(path)
  return {
    name: 'articles',
    async count(off) {
      // Nothing of them is read from a file or told as a talk.
      if (off !== undefined && !isOfAnswers(off)) return new Map()
      const asked = (await askAll(all)).filter(({ question }) => question.kind !== 'adversarial')
      return new Map(asked.map((each, at) => [`${at}`, ofQuestion(each)]))
    },
  }
}

/** Decks that are committed, as text. */
export function committed(): Set {
  const firstQuestions = new URL('../qa/first-questions.json', import.meta.url)
  const all: readonly Subject[] = [...readDecks(), ...readDecks(firstQuestions)]
  return {
    name: 'committed decks',
    async count(off) {
      const points = new Map<string, boolean>()
      // Their text is given: nothing is read.
      if (off?.layer === 'reading') return points
      for (const [at, asked] of (await askAll(all)).entries()) points.set(`${at} ${asked.question.text}`, ofQuestion(asked))
      for (const { first, next, isRight } of askFollowUps(readDecks())) points.set(`${first} ${next}`, isRight)
      if (isOfAnswers(off)) return points
      for (const [at, { content, questions }] of all.entries()) {
        const said = told(points, `${at}`, content, content.slides)
        for (const { text, source, answers } of questions)
          if (source?.type === 'slide' && answers.length > 0)
            points.set(
              `${at} said: ${text}`,
              answers.some((answer) => said(source.index).toLowerCase().includes(answer.toLowerCase())),
            )
      }
      return points
    },
  }
}

const title = z.union([z.string(), z.null()])
const titles = z.union([title, z.array(title)])
const truthSchema = z.object({
  decks: z.record(z.string(), z.object({ titles: z.array(titles), drawnTitles: z.array(z.number()).default([]) })),
})
const questionsSchema = z.object({
  decks: z.record(
    z.string(),
    z.array(
      z.object({
        kind: z.string(),
        question: z.string(),
        after: z.string().optional(),
        needs: z.array(z.string()).default([]),
        slides: z.array(z.number()).default([]),
        answerable: z.boolean().default(true),
      }),
    ),
  ),
})
const pointsSchema = z.record(
  z.string(),
  z.object({ slides: z.array(z.object({ n: z.number(), kind: z.string(), needs: z.array(z.string()).default([]) })) }),
)
type Question = z.output<typeof questionsSchema>['decks'][string][number]

export interface Files {
  decks: string
  truth?: string | undefined
  questions?: string | undefined
  points?: string | undefined
}

const parsed = <T>(schema: z.ZodType<T>, path: string): T => schema.parse(JSON.parse(readFileSync(path, 'utf8')))

interface Deck {
  content: DeckContent
  slides: Parameters<typeof compileScript>[0]['slides']
}

const keeps = (text: string, needs: readonly string[]) => needs.every((need) => new RegExp(need, 'iu').test(text))

/** Without pictures, in this process: a switch reaches no other. */
async function read(path: string): Promise<Deck> {
  const bytes = readFileSync(path)
  const pages: RenderedPage[] = []
  if (extname(path) === '.pdf') {
    const pdf = await openPdf(bytes, true)
    for (const index of pdf.surveyed ?? []) pdf.survey?.(index)
    for (let index = 0; index < pdf.total; index++) pages.push(await pdf.page(index))
  } else {
    const slides = await openPptx(bytes)
    for (let index = 0; index < slides.total; index++) pages.push(await slides.words(index))
  }
  const all = pages.map(({ index, title, text, reading }) => ({ id: `${index + 1}`, index, title, text, reading }))
  const stored = all.map(({ title, reading }) => ({ title, reading: JSON.stringify(reading) }))
  const language = languageOfSlides(stored) ?? 'en'
  const [first] = all
  const isNamed = first?.reading?.isTitleSure === true && first.reading.titleFrom !== 'none'
  const slides = all.map(({ id, index, title, text, reading }) => ({
    id,
    index,
    title,
    text,
    blocks: reading?.blocks ?? [],
    ...(reading && { isTitleSure: reading.isTitleSure, titleFrom: reading.titleFrom }),
  }))
  const title = isNamed ? first.title : titleOfFile(basename(path))
  return { content: { title, language, slides, passages: [] }, slides }
}

const place = /(slide|folie|diapositiva|lámina|第|幻灯片)\s*\d+/giu

function isRight({ kind, needs, slides, answerable }: Question, { outcome, text, citations }: AnswerEnd): boolean {
  const isRefused = outcome === 'unknown' || outcome === 'declined'
  if (kind === 'small-talk') return !isRefused && citations.length === 0
  if (!answerable) return isRefused || outcome === 'near' || outcome === 'handoff'
  const cited = citations.flatMap(({ type, index }) => (type === 'slide' ? [index + 1] : []))
  const isThere = kind === 'whole' ? new globalThis.Set(cited).size !== 1 : slides.length === 0 || cited.some((at) => slides.includes(at))
  return !isRefused && isThere && keeps(text.replace(place, ''), needs)
}

function answered(points: Map<string, boolean>, id: string, content: DeckContent, questions: readonly Question[]): void {
  const session = { sessionId: id, title: content.title, content, index: buildSessionIndex(id, content) }
  for (const asked of questions) {
    const before = asked.after === undefined ? undefined : quotedAnswer(asked.after, { session }).end
    const slides = before?.citations.flatMap(({ type, index }) => (type === 'slide' ? [index] : [])) ?? []
    const history: Turn[] = before === undefined ? [] : [{ question: asked.after ?? '', answer: before.text, slides }]
    points.set(`${id} ${asked.question}`, isRight(asked, quotedAnswer(asked.question, { session, history }).end))
  }
}

export function folder({ decks, ...files }: Files): Set {
  const pointsFile = files.points ?? join(decks, 'points.json')
  const truth = parsed(truthSchema, files.truth ?? join(decks, 'truth.json')).decks
  const questions = parsed(questionsSchema, files.questions ?? join(decks, 'questions.json')).decks
  const spoken = existsSync(pointsFile) ? parsed(pointsSchema, pointsFile) : {}
  const known = new Map<string, Deck>()
  async function deckOf(name: string, isAnew: boolean): Promise<Deck> {
    const kept = known.get(name)
    if (kept !== undefined && !isAnew) return kept
    const deck = await read(join(decks, name))
    if (!isAnew) known.set(name, deck)
    return deck
  }
  return {
    name: basename(decks),
    async count(off) {
      const points = new Map<string, boolean>()
      for (const [name, { titles: wanted, drawnTitles }] of Object.entries(truth)) {
        if (!existsSync(join(decks, name)) || !isReadBy(name, off)) continue
        const { content, slides } = await deckOf(name, off?.layer === 'reading')
        if (off === undefined || off.layer === 'reading')
          for (const [at, title] of wanted.entries())
            if (!drawnTitles.includes(at + 1)) points.set(`${name} ${at + 1} title`, isTitle(slides[at]?.title ?? '', title))
        answered(points, name, content, questions[name] ?? [])
        if (isOfAnswers(off)) continue
        const said = told(points, name, content, slides)
        for (const { n, kind, needs } of spoken[name]?.slides ?? [])
          if (kind === 'content') points.set(`${name} ${n} said`, keeps(said(n - 1), needs))
      }
      return points
    },
  }
}
