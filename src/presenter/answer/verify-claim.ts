// Checks one sentence a model made against the public text it cites: deterministic, no model. A claim passes only when every figure,
// name, address and promise in it is in its sources (or, for figures and names, in the question) and most of its words are too.
import { baseLanguage } from '../../decks/language.ts'
import { readQuestion } from '../retrieval/question.ts'
import { buildSessionIndex } from '../retrieval/session-index.ts'
import { fold } from '../retrieval/fold.ts'
import { tokenise } from '../retrieval/tokens.ts'

export interface Claim {
  text: string
  /** Ids of slides or passages. */
  sources: readonly string[]
}

export interface ClaimContext {
  /** Public text by id, of this session alone. */
  sources: ReadonlyMap<string, string>
  question: string
  language: string
  /** True for text that holds private notes (shingles.ts). */
  leaks(text: string): boolean
}

export type ClaimVerdict =
  | { ok: true; support: number }
  | {
      ok: false
      reason: 'empty' | 'too_long' | 'no_source' | 'unknown_source' | 'figure' | 'name' | 'address' | 'promise' | 'support' | 'leak'
    }

const lengthMax = 400
const supportMin = 0.55
const address = /[^\s"'<>()]+@[^\s"'<>()]+\.[^\s"'<>().,;:]+|(?:https?:\/\/|www\.)[^\s"'<>()]+[^\s"'<>().,;:]/giu
const promise =
  /\b(?:guarantee\w*|discount\w*|refund\w*|free|for free|we will|we'll|promise\w*|warrant\w*|always|never|unlimited|garant\w+|descuento\w*|reembols\w+|gratis|gratuit\w*|remise\w*|rembours\w+|rabatt\w*|kostenlos\w*|erstatt\w+|desconto\w*)\b|保証|無料|返金|割引|保证|免费|退款|折扣|ضمان|مجان|خصم|استرداد/giu
const months = /^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/u

const addressesIn = (text: string) => (text.match(address) ?? []).map((found) => found.toLowerCase())
const promisesIn = (text: string) => (fold(text).toLowerCase().match(promise) ?? []).map((word) => word.trim())

function figuresIn(text: string, language: string): Set<string> {
  return new Set(tokenise(text, language).flatMap(({ term, isNumber }) => (isNumber || /^\d+$/.test(term) ? [term] : [])))
}

/** Capitalised words after the first of a sentence, month names and all words in capitals among them; German nouns are no names. */
function namesIn(text: string, language: string): string[] {
  const tokens = tokenise(text, language)
  return tokens.flatMap(({ word, term, isCapital, weight }, at) => {
    const isName = months.test(word) || (isCapital && weight > 0 && at > 0)
    return isName && baseLanguage(language) !== 'de' ? [term] : []
  })
}

/** Share of the claim's content words that the cited text holds, itself or in a related form. */
function supportOf(claim: string, cited: string, language: string): number {
  const index = buildSessionIndex('claim', { language, slides: [], passages: [{ id: 'cited', index: 0, content: cited }] })
  const { terms } = readQuestion(claim, index)
  return terms.length === 0 ? 0 : terms.filter(({ variants }) => variants.length > 0).length / terms.length
}

/** The verdict on one claim; the first rule broken names the reason. Pure. */
export function verifyClaim(claim: Claim, context: ClaimContext): ClaimVerdict {
  const { text } = claim
  const { language } = context
  if (!/[\p{L}\p{N}]/u.test(text)) return { ok: false, reason: 'empty' }
  if (text.length > lengthMax) return { ok: false, reason: 'too_long' }
  if (claim.sources.length === 0) return { ok: false, reason: 'no_source' }
  const found = claim.sources.map((id) => context.sources.get(id))
  if (found.includes(undefined)) return { ok: false, reason: 'unknown_source' }
  const cited = found.join('\n')
  if (context.leaks(text)) return { ok: false, reason: 'leak' }
  const open = `${cited}\n${context.question}`
  const knownAddresses = new Set(addressesIn(cited))
  if (addressesIn(text).some((given) => !knownAddresses.has(given))) return { ok: false, reason: 'address' }
  const knownFigures = figuresIn(open, language)
  if ([...figuresIn(text, language)].some((figure) => !knownFigures.has(figure))) return { ok: false, reason: 'figure' }
  const knownTerms = new Set(tokenise(open, language).map(({ term }) => term))
  if (namesIn(text, language).some((name) => !knownTerms.has(name))) return { ok: false, reason: 'name' }
  const knownPromises = new Set(promisesIn(cited))
  if (promisesIn(text).some((word) => !knownPromises.has(word))) return { ok: false, reason: 'promise' }
  const support = supportOf(text, cited, language)
  return support < supportMin ? { ok: false, reason: 'support' } : { ok: true, support }
}
