// Words by which listeners say that they follow: they are no question and stop nobody.

/** Sounds, whatever is spoken. */
const sounds = ['m+(?:hm+)?', 'h+m+', 'a+ha?', 'o+h', 'uh[- ]?huh', 'ok(?:ay)?', 'yeah', 'yes', 'wow']

/** Nobody takes longer to say that they follow. */
const charsMax = 60

/** Whether `text` holds nothing but such words: those of the talk's language (`follows` in `languages/`), and sounds. */
export function isBackChannel(text: string, follows: readonly string[]): boolean {
  if (text.length > charsMax) return false
  // The longest first, each taken once: a pattern that repeats the choice tries every way to part "そうですね".
  const longestFirst = [...follows.map(RegExp.escape), ...sounds].toSorted((a, b) => b.length - a.length)
  const one = new RegExp(`(?<![a-z])(?:${longestFirst.join('|')})(?=[\\s\\p{P}]|$|[^\\x00-\\u02ff])`, 'giu')
  return /^[\s\p{P}]*$/u.test(text.normalize('NFC').replaceAll('’', "'").replaceAll(one, ''))
}
