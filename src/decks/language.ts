// Reads a BCP 47 tag as far as the words of the presenter depend on it.

/** The primary subtag in lower case: `pt-BR` and `pt` are one language here; English where the tag says nothing. */
export function baseLanguage(tag: string): string {
  return /^[a-z]{2,3}(?![a-z])/i.exec(tag.trim())?.[0].toLowerCase() ?? 'en'
}
