// A run that is over, as something to play: which slide, sentence and questions were there at a moment, read from its transcript
// alone. Pure; the player only moves the moment.
import { type Lit, litOfAnswer, litOfBeat } from '../../room/stage/lit.ts'
import type { Transcript, TranscriptEntry } from './transcript-wire.ts'

/** One sentence of the presenter or the host, half-open in time. */
export interface Sentence {
  from: number
  to: number
  slideIndex: number | null
  text: string
  entry: TranscriptEntry
  /** What it lights, or quotes. */
  lit: Lit | null
}

export interface Replay {
  /** One voice: they never overlap. */
  sentences: readonly Sentence[]
  /** What was asked, in order; a question interrupts nobody. */
  questions: readonly TranscriptEntry[]
  /** The changes of the slide, in order. */
  slides: readonly TranscriptEntry[]
  /** What came of polls, from when it was shown. */
  polls: readonly TranscriptEntry[]
  /** Slides of the talk, as far as the transcript knows. */
  slidesCount: number
  endMs: number
}

export interface Scene {
  /** The entry that put the slide there. */
  slide: TranscriptEntry | null
  /** What is being said, else what was said last. */
  sentence: Sentence | null
  isSilent: boolean
  /** The question that the sentence answers. */
  answers: TranscriptEntry | null
  /** What came of a poll, while its slide is on. */
  poll: TranscriptEntry | null
  /** Questions asked until then. */
  asked: number
}

/** Reading time of what has no end in the log. */
const msPerCharacter = 60
const shortestMs = 1_000

export function replayOf({ entries }: Pick<Transcript, 'entries'>): Replay {
  const spoken = entries.filter((entry) => entry.type === 'narration' || (entry.type === 'answer' && entry.private !== true))
  const parts = spoken.flatMap(partsOf).toSorted((a, b) => a.from - b.from)
  const sentences = parts.map((part, at) => {
    const next = parts[at + 1]?.from ?? Infinity
    const to = part.to ?? part.from + Math.max(shortestMs, part.text.length * msPerCharacter)
    return { ...part, to: Math.max(part.from, Math.min(to, next)) }
  })
  const slides = entries.filter(({ type }) => type === 'slide')
  return {
    sentences,
    questions: entries.filter(({ type }) => type === 'question'),
    slides,
    polls: entries.filter(({ poll }) => poll !== undefined),
    slidesCount: entries.reduce((most, { slideIndex }) => Math.max(most, (slideIndex ?? -1) + 1), 0),
    endMs: Math.max(0, ...sentences.map(({ to }) => to), ...slides.map(({ offsetMs }) => offsetMs)),
  }
}

function partsOf(entry: TranscriptEntry): (Omit<Sentence, 'to'> & { to?: number })[] {
  const { slideIndex, sentences = [], endOffsetMs } = entry
  const whole = endOffsetMs === undefined ? {} : { to: endOffsetMs }
  const { region, spans } = entry
  const own = slideIndex === null ? null : litOfBeat({ slideIndex, ...(region && { region }), ...(spans && { spans }) })
  if (sentences.length === 0) return [{ from: entry.offsetMs, slideIndex, text: entry.text, entry, lit: own, ...whole }]
  return sentences.map(({ offsetMs, text, citations }, at) => ({
    from: offsetMs,
    slideIndex,
    text,
    entry,
    lit: litOfAnswer('', at, citations).lit,
    ...(at === sentences.length - 1 ? whole : {}),
  }))
}

export function sceneAt({ sentences, slides, questions, polls }: Replay, ms: number): Scene {
  const slide = slides.findLast(({ offsetMs }) => offsetMs <= ms) ?? null
  const sentence = sentences.findLast(({ from }) => from <= ms) ?? null
  return {
    slide,
    poll: polls.findLast(({ offsetMs }) => offsetMs <= ms && offsetMs >= (slide?.offsetMs ?? 0)) ?? null,
    sentence,
    isSilent: sentence === null || sentence.to <= ms,
    answers: questions.find(({ questionId }) => questionId !== undefined && questionId === sentence?.entry.questionId) ?? null,
    asked: questions.filter(({ offsetMs }) => offsetMs <= ms).length,
  }
}

/** The beginning of the sentence after, or before, the moment; going back within a sentence finds its own beginning first. */
export function stepFrom({ sentences, endMs }: Replay, ms: number, step: 1 | -1): number {
  if (step === 1) return sentences.find(({ from }) => from > ms)?.from ?? endMs
  return sentences.findLast(({ from }) => from < ms - graceMs)?.from ?? 0
}

/** So long after its beginning, going back still means the sentence before. */
const graceMs = 700

/** How far the slide on screen has come, 0..1, for the thread. */
export function progressAt({ slides, endMs }: Replay, ms: number): number {
  const at = slides.findLastIndex(({ offsetMs }) => offsetMs <= ms)
  const from = slides[at]?.offsetMs ?? 0
  const to = slides[at + 1]?.offsetMs ?? endMs
  return to <= from ? 0 : Math.min(1, (ms - from) / (to - from))
}
