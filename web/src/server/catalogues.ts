// The words of every language (`languages/room/`), and which language a request gets.
import { readdirSync, readFileSync } from 'node:fs'
import { fittingLanguage, type Messages } from '../ui/words.ts'

/** Every file is a language, named by its tag. */
export function readCatalogues(folder: URL): Readonly<Record<string, Messages>> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  // web/test/locales.test.ts holds each against English.
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Messages
  return Object.fromEntries(files.map((file) => [file.slice(0, -'.json'.length), read(file)]))
}

/** As deep from the sources as from what is built of them. */
const all = readCatalogues(new URL('../../../packages/languages/words/room/', import.meta.url))
const languages: readonly string[] = Object.keys(all)

export function catalogueOf(language: string): Messages {
  const found = all[language] ?? all['en']
  if (found === undefined) throw new Error('packages/languages/words/room/en.json is missing')
  return found
}

/** Keys that the server alone renders stay out of the boot data of the room. */
export const isRoomKey = (key: string): boolean => !key.startsWith('page.')

/** The language we speak that fits a tag. */
export const languageOf = (tag: string): string | null => fittingLanguage(tag, languages)

export interface LanguageWishes {
  query?: string | null
  remembered?: string | null
  acceptLanguage?: string | null
  session?: string | null
}

/** The first wish that we speak: `?lang`, the remembered choice, `Accept-Language` by weight, the session's language; else English. */
export function pickLanguage(wishes: LanguageWishes): string {
  const accepted = (wishes.acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...rest] = part.split(';')
      const weight = rest.map((each) => /^\s*q=([\d.]+)/.exec(each)?.[1]).find((found) => found !== undefined)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter((each) => each.weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map((each) => each.tag)
  for (const tag of [wishes.query, wishes.remembered, ...accepted, wishes.session]) {
    const found = tag ? languageOf(tag) : null
    if (found !== null) return found
  }
  return 'en'
}
