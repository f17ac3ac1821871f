// The first letters of the first and the last word of a name, as a reader counts letters.
const letters = new Intl.Segmenter()

export function monogram(name: string): string {
  const words = name.split(/[\s·,.-]+/u).filter((word) => /\p{L}/u.test(word))
  const first = (word = '') => letters.segment(word).containing(0)?.segment ?? ''
  return `${first(words[0])}${words.length > 1 ? first(words.at(-1)) : ''}`.toLocaleUpperCase()
}
