// Messages with placeholders and plurals. A catalogue maps a key to text, or to one text per plural category of `n`
// (Intl.PluralRules); `{name}` is replaced by the parameter of that name.
import type english from '@rostrum/languages/words/room/en.json'

export type Plural = { readonly other: string } & { readonly [Category in Exclude<Intl.LDMLPluralRule, 'other'>]?: string }
export type Message = string | Plural
export type Catalogue = Readonly<Record<string, Message>>
/** English stands for all: every catalogue has exactly its keys and placeholders (web/test/locales.test.ts). */
export type MessageKey = keyof typeof english
export type Messages = Readonly<Record<MessageKey, Message>>
export type Params = Readonly<Record<string, string | number>>

export interface Translate<Key extends string> {
  (key: Key, params?: Params): string
}

/** `t` of one language; a key that is missing shows itself, so that a gap is seen and nothing breaks. */
export function translator<Key extends string>(catalogue: Readonly<Record<Key, Message>>, language: string): Translate<Key> {
  const plurals = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (key, params = {}) => {
    const message: Message | undefined = catalogue[key]
    if (message === undefined) return key
    const text = typeof message === 'string' ? message : (message[plurals.select(Number(params.n))] ?? message.other)
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = params[name]
      return value === undefined ? whole : typeof value === 'number' ? numbers.format(value) : value
    })
  }
}

/** The one of `languages` that fits a tag: exact, by base, and the scripts of Chinese. */
export function fittingLanguage(tag: string, languages: readonly string[]): string | null {
  const wanted = tag.trim().toLowerCase().replace('_', '-')
  const exact = languages.find((language) => language.toLowerCase() === wanted)
  if (exact !== undefined) return exact
  const base = wanted.split('-')[0] ?? ''
  if (base === 'zh') return 'zh-Hans'
  return languages.find((language) => language.toLowerCase().split('-')[0] === base) ?? null
}
