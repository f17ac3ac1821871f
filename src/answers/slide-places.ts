// Slides that are named by their place, in every language (`languages`): "the first slide", "this slide", "slide two", "from the
// beginning". They become the number that a sentence about slide 4 would have.
import { fill, inEveryLanguage, languageOf, languageTags } from '../platform/languages.ts'
import { lazily } from '../platform/lazily.ts'
import { insidePattern, wholePattern } from '../platform/word-pattern.ts'

export interface Places {
  /** Slides of the talk. */
  count: number
  /** The one on screen, from 0. */
  at?: number | undefined
}

type Place = number | 'last' | 'shown'

const places = lazily(() => ({
  starts: wholePattern(inEveryLanguage((language) => language.places.start)),
  ends: wholePattern(inEveryLanguage((language) => language.places.end)),
  /** "The last slide", said alone, is the one before. */
  before: wholePattern(inEveryLanguage((language) => language.places.before)),
  named: languageTags().flatMap((tag) => {
    const { written, at, last, shown } = languageOf(tag).places
    const phrases: [Place, readonly string[]][] = [
      ...at.map((phrase, index): [Place, string[]] => [index + 1, [phrase]]),
      ['last', last],
      ['shown', shown],
    ]
    return phrases.map(([place, patterns]) => ({ place, pattern: insidePattern(patterns), written }))
  }),
}))

/** `text` as it is compared: folded, lower case, without marks around it. */
export function numberSlides(text: string, { count, at }: Places): string {
  const { starts, ends, before, named } = places()
  if (before.test(text)) return text
  if (starts.test(text)) return 'go to slide 1'
  if (ends.test(text)) return `go to slide ${count}`
  const numberOf = (place: Place) => (place === 'last' ? count : place === 'shown' ? (at === undefined ? undefined : at + 1) : place)
  for (const { place, pattern, written } of named) {
    const number = numberOf(place)
    if (number !== undefined && pattern.test(text)) return text.replace(pattern, fill(written, { number }))
  }
  return text
}
