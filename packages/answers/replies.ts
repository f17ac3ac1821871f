// What is said to an utterance that is no question about the content: its fixed words, a summary, a slide, or a wish about the talk. Whatever
// else is said without a model is a verbatim quote (presenter rule: quote, never assert).
import type { AnswerOutcome, AnswerTrace, Signal, SuggestedAction, TalkControl } from '@rostrum/contract/answer'
import { fill, type Language, languageOf } from '@rostrum/languages/languages'
import type { AnswerContext } from './answer-part.ts'
import type { Want } from './intents.ts'
import { plain, type Sentence } from './quote.ts'
import { tokenise } from './ranking/tokens.ts'
import { agendaOf, againOf, audienceOf, overviewOf, peopleOf, pointsTold, slideTold, soFarOf, upcomingOf } from './summary.ts'

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

export function replied(intent: string, said: string | readonly Sentence[], outcome: AnswerOutcome = 'answered'): Draft {
  const trace: AnswerTrace = { intent, known: 0, plain: 0, candidates: [] }
  return { outcome, confidence: outcome === 'answered' ? 1 : 0, sentences: typeof said === 'string' ? [plain(said)] : said, trace }
}

const actionsMax = 3

/** The call to action, the host, then slides to open: what may be done next. `tag`: the language of who asks. */
export function suggestions(
  { cta }: AnswerContext['session'],
  tag: string,
  { isOffer = false, toHost = false, slides = [] }: { isOffer?: boolean; toHost?: boolean; slides?: readonly number[] },
): SuggestedAction[] {
  const words = languageOf(tag).answers
  const actions: SuggestedAction[] = [
    ...(isOffer && cta !== undefined ? [{ type: 'open_link', label: cta.text, url: cta.url } as const] : []),
    ...(toHost ? [{ type: 'contact_host', label: words.tellHost } as const] : []),
    ...[...new Set(slides)].map((at) => ({ type: 'goto_slide', label: fill(words.openSlide, { slide: at + 1 }), slideIndex: at }) as const),
  ]
  return actions.slice(0, actionsMax)
}

/** Granted where the talk is the asker's own (`grant.ts`); a talk for all goes on as it does. */
function wish(control: TalkControl & { action: string }, said: string, isShared: boolean | undefined, words: Language['answers']): Draft {
  return isShared === true ? replied(control.action, words.together) : { ...replied(control.action, said), control }
}

/** A slide by the words of its title; null where none or several have them all. */
function slideTitled(words: string, { slides, language }: AnswerContext['session']['content']): number | null {
  const terms = (text: string) => tokenise(text, language).flatMap(({ term, weight }) => (weight === 0 ? [] : [term]))
  const wanted = terms(words)
  const found = wanted.length === 0 ? [] : slides.filter(({ title }) => wanted.every((term) => terms(title).includes(term)))
  return found.length === 1 && found[0] !== undefined ? found[0].index + 1 : null
}

/** Null: it is no such wish after all, or the talk says nothing of it, and the content is asked. */
export function replyTo(want: Want, context: AnswerContext): Draft | null {
  const { session, slideIndex, history, isShared, minutes } = context
  const { content } = session
  const words = languageOf(content.language).answers
  const count = content.slides.length
  const { type } = want
  switch (type) {
    case 'small_talk':
      return replied(type, want.reply)
    case 'who_are_you':
      return replied(type, fill(words.whoAmI, { title: session.title }))
    case 'speaker': {
      const people = peopleOf(session)
      return replied(type, people === undefined ? fill(words.whoAmI, { title: session.title }) : pointsTold([people]))
    }
    case 'audience': {
      const told = audienceOf(session)
      if (told !== undefined) return replied(type, pointsTold([told]))
      if (content.passages.length > 0) return null
      return { ...replied(type, words.unknown, 'unknown'), suggestedActions: suggestions(session, content.language, { toHost: true }) }
    }
    case 'repeat': {
      const last = history?.at(-1)?.answer
      return last === undefined ? wish({ action: type }, words.repeat, isShared, words) : replied(type, last)
    }
    case 'summary':
      return replied(type, soFarOf(session, slideIndex))
    case 'overview':
      return replied(type, overviewOf(session))
    case 'simpler': {
      const again = againOf(session, history?.at(-1)?.slides?.[0] ?? slideIndex)
      return again === undefined ? null : replied(type, again)
    }
    case 'agenda': {
      const parts = agendaOf(session)
      return parts === undefined ? null : replied(type, pointsTold([parts]))
    }
    case 'upcoming':
      return replied(type, (slideIndex === undefined ? undefined : upcomingOf(session, slideIndex)) ?? overviewOf(session))
    case 'goto_title': {
      // A personal agent sees no slides: it is told what stands there.
      const slide = context.audience === 'agent' ? null : slideTitled(want.words, content)
      return slide === null ? null : replyTo({ type: 'goto', slide }, context)
    }
    case 'goto':
    case 'slide_text': {
      const shown = content.slides[want.slide - 1]
      if (shown === undefined) return replied(type, fill(words.noSuchSlide, { count }))
      if (type === 'slide_text' || isShared === true) return replied('slide_text', slideTold(shown, content))
      return wish({ action: 'goto', slideIndex: shown.index }, fill(words.goto, { slide: want.slide }), isShared, words)
    }
    case 'acknowledgement':
      return replied(type, words.allRight)
    case 'help':
    case 'recorded':
      return replied(type, words[type])
    case 'slide_count':
      return replied(
        type,
        slideIndex === undefined ? fill(words.noSuchSlide, { count }) : fill(words.hereOf, { slide: slideIndex + 1, count }),
      )
    case 'length':
      // What slides say of minutes is of something else.
      if (minutes === undefined) return replied(type, words.unknown, 'unknown')
      return replied(type, fill(minutes.isLeft ? words.left : words.takes, { minutes: minutes.count }))
    case 'slower':
    case 'faster':
    case 'shorter':
    case 'longer':
    case 'pause':
    case 'resume':
    case 'next':
    case 'previous':
      return wish({ action: type }, words.done, isShared, words)
  }
}
