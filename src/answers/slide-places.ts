// Slides that are named by their place, in all languages of the interface: "the first slide", "this slide", "slide two", "from the
// beginning". They become the number that a sentence about slide 4 would have.
import { numberWords } from './ranking/named.ts'

export interface Places {
  /** Slides of the talk. */
  count: number
  /** The one on screen, from 0. */
  at?: number | undefined
}

const nouns = 'slide|page|diapositiva|lamina|diapositive|folie'
const ordinals = [
  'first|primera?|premiere|erste[nrs]?|primeir[oa]',
  'second|segund[ao]|deuxieme|zweite[nrs]?',
  'third|tercera?|troisieme|dritte[nrs]?|terceir[oa]',
  'fourth|cuarta|quatrieme|vierte[nrs]?|quart[oa]',
  'fifth|quinta|cinquieme|funfte[nrs]?|quinto',
]
const last = 'last|final|ultim[ao]|derniere|letzte[nrs]?'
const shown = 'this|current|esta|cette|diese[rs]?|n?est[ea]'

const starts =
  /^(?:(?:go|jump|skip|start|begin)(?: again)?(?: back)? (?:to|at|from) the (?:beginning|start|top)|back to the (?:beginning|start)|start (?:over|again)|from the (?:beginning|start|top)|(?:desde|ve al?|volver al?) (?:el )?principio|(?:depuis le|retour au|au) debut|(?:noch ?mal )?von (?:vorne?|anfang an)|zum anfang|(?:desde o|do) (?:inicio|comeco)|最初から(?:お願いします)?|最初に戻って(?:ください)?|从头(?:开始|再来)?|重新开始|من البداية)(?: please| por favor| bitte)?$/u
const ends =
  /^(?:(?:go|jump|skip) to the end|(?:ve|ir) al final|a la fin|zum ende|(?:va|ir) para o fim|最後へ|跳到最后|الى النهاية)(?: please| por favor| bitte)?$/u
/** That one is the slide before. */
const before = /^(?:the )?last (?:slide|page)(?: please)?$/u

type Place = number | 'last' | 'shown'

const latin: readonly [Place, RegExp][] = [
  ...ordinals.map((words, at): [Place, RegExp] => [at + 1, new RegExp(`\\b(?:${words}) (${nouns})\\b`, 'u')]),
  ['last', new RegExp(`\\b(?:${last}) (${nouns})\\b`, 'u')],
  ['shown', new RegExp(`\\b(?:${shown}) (${nouns})\\b`, 'u')],
  ...numberWords.map((words, at): [Place, RegExp] => [at + 1, new RegExp(`\\b(${nouns}) (?:${words})\\b`, 'u')]),
]
const others: readonly [Place, RegExp, string][] = [
  [1, /最初のスライド/u, 'スライド'],
  ['last', /最後のスライド/u, 'スライド'],
  ['shown', /このスライド/u, 'スライド'],
  [1, /第一(?=张|页)/u, '第'],
  ['last', /最后一(?=张|页)/u, '第'],
  ['shown', /这一?(?=张|页)/u, '第'],
  [1, /الشريحة الاولى/u, 'الشريحة '],
  ['last', /الشريحة الاخيرة/u, 'الشريحة '],
  ['shown', /هذه الشريحة/u, 'الشريحة '],
]

/** `text` as it is compared: folded, lower case, without marks around it. */
export function numberSlides(text: string, { count, at }: Places): string {
  if (before.test(text)) return text
  if (starts.test(text)) return 'go to slide 1'
  if (ends.test(text)) return `go to slide ${count}`
  const numberOf = (place: Place) => (place === 'last' ? count : place === 'shown' ? (at === undefined ? undefined : at + 1) : place)
  for (const [place, pattern] of latin) {
    const number = numberOf(place)
    const replaced = number === undefined ? text : text.replace(pattern, `$1 ${number}`)
    if (replaced !== text) return replaced
  }
  for (const [place, pattern, noun] of others) {
    const number = numberOf(place)
    const replaced = number === undefined ? text : text.replace(pattern, `${noun}${number}`)
    if (replaced !== text) return replaced
  }
  return text
}
