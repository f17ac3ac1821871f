// The first letters of the first and the last word of a name, as a reader counts letters.

/** Made when it is first wanted: on a slow telephone it takes longer than all else that the script of the room does at its start. */
let letters: Intl.Segmenter | undefined

export function monogram(name: string): string {
  letters ??= new Intl.Segmenter()
  const segmenter = letters
  const words = name.split(/[\s·,.-]+/u).filter((word) => /\p{L}/u.test(word))
  const first = (word = '') => segmenter.segment(word).containing(0)?.segment ?? ''
  return `${first(words[0])}${words.length > 1 ? first(words.at(-1)) : ''}`.toLocaleUpperCase()
}
