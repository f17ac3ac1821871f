// What is said to an utterance that is no question about the content: its fixed words, a summary, a slide, or a wish about the talk. Whatever
// else is said without a model is a verbatim quote (presenter rule: quote, never assert).
import type { AnswerOutcome, AnswerTrace, Citation, Signal, SuggestedAction, TalkControl } from '../contract/answer.ts'
import { baseLanguage, fill, type Language, languageOf } from '../platform/languages.ts'
import type { AnswerContext } from './answer-part.ts'
import type { Intent } from './intents.ts'
import { tokenise } from './ranking/tokens.ts'
import { overviewOf, slideSummaryOf, type Summary, summaryOf } from './summary.ts'

type Said = Language['answers']

export interface Templates extends Omit<
  Said,
  'goto' | 'noSuchSlide' | 'openSlide' | 'takes' | 'left' | 'whoAmI' | 'about' | 'covers' | 'cta' | 'hereOf' | 'otherLanguage'
> {
  whoAmI(title: string): string
  about(title: string): string
  /** Titles of slides, word for word. */
  covers(titles: readonly string[]): string
  goto(slide: number): string
  noSuchSlide(count: number): string
  cta(label: string): string
  openSlide(slide: number): string
  hereOf(slide: number, count: number): string
  takes(minutes: number): string
  left(minutes: number): string
  /** To who asks in another language than the slides'; `tag` is theirs. */
  otherLanguage(tag: string): string
}

/** The templates of a BCP 47 tag; English where nobody has written them. */
export function templatesFor(tag: string): Templates {
  const { answers } = languageOf(tag)
  const titled = (title: string) => fill(answers.quoted, { title })
  return {
    ...answers,
    whoAmI: (title) => fill(answers.whoAmI, { title }),
    about: (title) => fill(answers.about, { title }),
    covers: (titles) => fill(answers.covers, { titles: titles.map(titled).join(answers.comma) }),
    goto: (slide) => fill(answers.goto, { slide }),
    noSuchSlide: (count) => fill(answers.noSuchSlide, { count }),
    cta: (label) => fill(answers.cta, { label }),
    openSlide: (slide) => fill(answers.openSlide, { slide }),
    hereOf: (slide, count) => fill(answers.hereOf, { slide, count }),
    takes: (minutes) => fill(answers.takes, { minutes }),
    left: (minutes) => fill(answers.left, { minutes }),
    otherLanguage: (slides) =>
      fill(answers.otherLanguage, { language: new Intl.DisplayNames([tag], { type: 'language' }).of(baseLanguage(slides)) ?? slides }),
  }
}

export interface Sentence {
  text: string
  citations: readonly Citation[]
}

/** An answer before it is numbered and joined. */
export interface Draft {
  outcome: AnswerOutcome
  confidence: number
  sentences: readonly Sentence[]
  suggestedActions?: readonly SuggestedAction[]
  control?: TalkControl
  signal?: Signal
  trace: AnswerTrace
}

export const plain = (text: string): Sentence => ({ text, citations: [] })

export function fixed(intent: string, outcome: AnswerOutcome, texts: readonly string[], control?: TalkControl): Draft {
  const trace: AnswerTrace = { intent, known: 0, plain: 0, candidates: [] }
  return { outcome, confidence: outcome === 'declined' ? 0 : 1, sentences: texts.map(plain), trace, ...(control ? { control } : {}) }
}

/** Granted where the talk is the asker's own (`grant.ts`); a talk for all goes on as it does. */
function wish(control: TalkControl & { action: string }, words: string, { isShared }: AnswerContext, templates: Templates): Draft {
  return isShared === true ? fixed(control.action, 'answered', [templates.together]) : fixed(control.action, 'answered', [words], control)
}

function gotoDraft(slide: number, context: AnswerContext, templates: Templates): Draft {
  const count = context.session.content.slides.length
  if (slide < 1 || slide > count) return fixed('goto', 'answered', [templates.noSuchSlide(count)])
  if (context.isShared === true) return slideDraft(slide, context, templates)
  return fixed('goto', 'answered', [templates.goto(slide)], { action: 'goto', slideIndex: slide - 1 })
}

export function summaryDraft(intent: string, { sentences }: Summary): Draft {
  return { ...fixed(intent, 'answered', []), sentences }
}

function slideDraft(slide: number, { session: { content } }: AnswerContext, templates: Templates): Draft {
  const shown = content.slides[slide - 1]
  if (shown === undefined) return fixed('slide_text', 'answered', [templates.noSuchSlide(content.slides.length)])
  return summaryDraft('slide_text', slideSummaryOf(shown, content, templates))
}

/** A slide by the words of its title; null where none or several have them all. */
function slideTitled(words: string, { slides, language }: AnswerContext['session']['content']): number | null {
  const terms = (text: string) => tokenise(text, language).flatMap(({ term, weight }) => (weight === 0 ? [] : [term]))
  const wanted = terms(words)
  const found = wanted.length === 0 ? [] : slides.filter(({ title }) => wanted.every((term) => terms(title).includes(term)))
  return found.length === 1 && found[0] !== undefined ? found[0].index + 1 : null
}

/** Null: it is no such wish after all, and the content is asked. */
export function intentDraft(intent: Intent, context: AnswerContext, templates: Templates): Draft | null {
  const { session } = context
  switch (intent.type) {
    case 'greeting':
      return fixed('greeting', 'answered', [templates.greeting])
    case 'thanks':
      return fixed('thanks', 'answered', [templates.thanks])
    case 'who_are_you':
      return fixed('who_are_you', 'answered', [templates.whoAmI(session.title)])
    case 'repeat': {
      const last = context.history?.at(-1)?.answer
      if (last !== undefined) return fixed('repeat', 'answered', [last])
      return wish({ action: 'repeat' }, templates.repeat, context, templates)
    }
    case 'summary':
      return summaryDraft('summary', summaryOf(session, context.slideIndex, templates))
    case 'overview':
      return summaryDraft('overview', overviewOf(session, templates))
    case 'goto':
      return gotoDraft(intent.slide, context, templates)
    case 'slide_text':
      return slideDraft(intent.slide, context, templates)
    case 'goto_title': {
      // A personal agent sees no slides: it is told what stands there.
      const slide = context.audience === 'agent' ? null : slideTitled(intent.words, session.content)
      return slide === null ? null : gotoDraft(slide, context, templates)
    }
    case 'acknowledgement':
      return fixed('acknowledgement', 'answered', [templates.allRight])
    case 'help':
      return fixed('help', 'answered', [templates.help])
    case 'recorded':
      return fixed('recorded', 'answered', [templates.recorded])
    case 'slide_count': {
      const count = session.content.slides.length
      const at = context.slideIndex
      return fixed('slide_count', 'answered', [at === undefined ? templates.noSuchSlide(count) : templates.hereOf(at + 1, count)])
    }
    case 'length': {
      const { minutes } = context
      // What slides say of minutes is of something else.
      if (minutes === undefined) return { ...fixed('length', 'unknown', [templates.unknown]), confidence: 0 }
      return fixed('length', 'answered', [minutes.isLeft ? templates.left(minutes.count) : templates.takes(minutes.count)])
    }
    case 'slower':
    case 'faster':
    case 'shorter':
    case 'longer':
    case 'pause':
    case 'resume':
    case 'next':
    case 'previous':
      return wish({ action: intent.type }, templates.done, context, templates)
  }
}
