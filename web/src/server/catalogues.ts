// The words of every language, and which language a request gets.
import { ar } from '../../locales/ar.ts'
import { de } from '../../locales/de.ts'
import { en } from '../../locales/en.ts'
import type { Messages } from '../../locales/en.ts'
import { es } from '../../locales/es.ts'
import { fr } from '../../locales/fr.ts'
import { ja } from '../../locales/ja.ts'
import { ptBr } from '../../locales/pt-br.ts'
import { zhHans } from '../../locales/zh-hans.ts'
import type { Language } from './types.ts'

export const catalogues: Readonly<Record<Language, Messages>> = { en, es, fr, de, 'pt-BR': ptBr, ja, 'zh-Hans': zhHans, ar }

const languages = Object.keys(catalogues) as readonly Language[]

/** The language we speak that fits a tag: exact, by base, and the scripts of Chinese. */
export function languageOf(tag: string): Language | null {
  const wanted = tag.trim().toLowerCase().replace('_', '-')
  const exact = languages.find((language) => language.toLowerCase() === wanted)
  if (exact !== undefined) return exact
  const base = wanted.split('-')[0] ?? ''
  if (base === 'zh') return 'zh-Hans'
  return languages.find((language) => language.toLowerCase().split('-')[0] === base) ?? null
}

export interface LanguageWishes {
  query?: string | null
  remembered?: string | null
  acceptLanguage?: string | null
  session?: string | null
}

/** The first wish that we speak: `?lang`, the remembered choice, `Accept-Language` by weight, the session's language; else English. */
export function pickLanguage(wishes: LanguageWishes): Language {
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
