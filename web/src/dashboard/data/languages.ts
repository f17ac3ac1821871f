// Languages a talk may be held in, by their own names; the presenter has phrase packs for the first nine.
const tags = ['en', 'es', 'fr', 'de', 'it', 'pt-BR', 'ja', 'zh-Hans', 'ar', 'nl', 'pl', 'sv', 'ko', 'hi', 'tr', 'uk'] as const

export const languages: readonly { value: string; label: string }[] = tags.map((tag) => ({ value: tag, label: languageName(tag) }))

/** The list with `tag` in it, so that a session made by code in another language keeps it. */
export function languagesWith(tag: string): readonly { value: string; label: string }[] {
  return languages.some(({ value }) => value === tag) ? languages : [...languages, { value: tag, label: languageName(tag) }]
}

/** As its speakers call it. */
export function languageName(tag: string): string {
  return new Intl.DisplayNames([tag], { type: 'language', fallback: 'code' }).of(tag) ?? tag
}
