// Two sets for the verifier: true sentences (every unit of the decks as it stands, and fair paraphrases by hand), and falsehoods made of
// them by rule, one detail wrong in each, with some by hand. The same seed gives the same sets.
import { readFileSync } from 'node:fs'
import type { AnswerSession } from '@rostrum/answers/answer-part'
import { sourceFacts } from '../../packages/answers/claim-facts.ts'
import { sessionOf } from '../qa/score.ts'
import { readDecks } from '../qa/sets.ts'

export interface Planted {
  kind: string
  session: AnswerSession
  text: string
  sources: readonly string[]
}

export const falsehoodKinds = ['number', 'date', 'price', 'measure', 'name', 'link', 'promise', 'denial', 'swap', 'source'] as const
const perKind = 50

const sessions = readDecks().map(sessionOf)

/** A small generator of its own: Park and Miller. */
function random(seed: number): <T>(from: readonly T[]) => T | undefined {
  let state = seed
  return (from) => from[(state = (state * 48_271) % 2_147_483_647) % Math.max(1, from.length)]
}

function written(name: string, kind: string): Planted[] {
  const lines = readFileSync(new URL(name, import.meta.url), 'utf8').split('\n')
  return lines.flatMap((text) => {
    const [deck, source, sentence] = text.split('|')
    const session = sessions.find(({ sessionId }) => sessionId === deck)
    if (session === undefined || source === undefined || sentence === undefined) return []
    return [{ kind, session, text: sentence, sources: source.split(',').map((id) => `${deck}-${id}`) }]
  })
}

/** Every unit of text that is a statement: three words or more. */
function verbatim(): Planted[] {
  return sessions.flatMap((session) =>
    session.index.chunks.flatMap(({ source, units }) =>
      units.flatMap(({ text }) => (text.split(/\s+/u).length < 3 ? [] : [{ kind: 'verbatim', session, text, sources: [source.id] }])),
    ),
  )
}

export const paraphrases = (): Planted[] => written('paraphrases.txt', 'paraphrase')
export const truths = (): Planted[] => [...verbatim(), ...paraphrases()]

type Change = (truth: Planted, pick: ReturnType<typeof random>) => string | Partial<Planted> | undefined

const factsOf = ({ session, sources }: Planted) => sourceFacts(session.index, sources[0] ?? '')
const figure = /\d[\d.,]*\d|\d/gu
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'October', 'December']
const measureWords: Readonly<Record<string, readonly string[]>> = {
  days: ['weeks', 'years', 'hours'],
  hours: ['days', 'minutes'],
  minutes: ['hours', 'seconds'],
  months: ['weeks', 'years'],
  weeks: ['days', 'months'],
  years: ['months', 'days'],
  seconds: ['minutes', 'hours'],
  kg: ['g', 'tonnes'],
  EUR: ['USD', 'GBP'],
  CHF: ['EUR', 'USD'],
  pounds: ['euros', 'dollars'],
  euros: ['dollars', 'pounds'],
  percent: ['million'],
  Minuten: ['Stunden', 'Tagen'],
  Jahre: ['Monate'],
  Monaten: ['Jahren', 'Tagen'],
  Wochen: ['Tage'],
  litros: ['kg'],
  ans: ['mois'],
  semaines: ['jours'],
  horas: ['minutos', 'dias'],
  meses: ['anos', 'dias'],
  años: ['meses'],
  litres: ['kg'],
  tonnes: ['kg'],
  kilometres: ['metres'],
}
const strangers = ['Siemens', 'Oslo', 'Bergmann', 'Quantix', 'Lisbon', 'Harwell', 'Novotech', 'Toronto', 'Kestrel', 'Zalando']
const promises = [
  ' and we will refund it',
  ', guaranteed',
  ' with a lifetime guarantee',
  ' and a discount on request',
  ', free of cost',
  ' and it is always included',
  ' with unlimited updates for free',
]

const swapFigure = (text: string, to: (found: string) => string | undefined, pick: ReturnType<typeof random>) => {
  const found = pick([...text.matchAll(figure)])
  const other = found === undefined ? undefined : to(found[0])
  if (found === undefined || other === undefined || other === found[0]) return undefined
  return text.slice(0, found.index) + other + text.slice(found.index + found[0].length)
}

const changes: Readonly<Record<(typeof falsehoodKinds)[number], Change>> = {
  number: ({ text }, pick) =>
    swapFigure(text, (found) => `${Number(found.replace(/\D/gu, '')) + (pick([1, 2, 3, 5, 7, 10, 20]) ?? 1)}`, pick),
  date(truth, pick) {
    const year = /\b(?:1[89]|20)\d\d\b/u
    if (year.test(truth.text)) return truth.text.replace(year, (found) => `${Number(found) + (pick([-3, -1, 1, 2, 4]) ?? 1)}`)
    const month = months.find((name) => truth.text.includes(name))
    const other = pick(months)
    if (month !== undefined && other !== month) return truth.text.replace(month, other ?? '')
    return `${truth.text.replace(/[.]$/u, '')} since ${pick(['1987', '2003', '2011', '2024'])}`
  },
  price({ text }, pick) {
    if (!/EUR|CHF|GBP|euro|pound|R\$|reais/iu.test(text)) return undefined
    return swapFigure(text, (found) => `${Math.round(Number(found.replace(/\D/gu, '')) * (pick([0.5, 0.8, 1.1, 2]) ?? 2)) + 1}`, pick)
  },
  measure({ text }, pick) {
    const words = Object.keys(measureWords).filter((word) => new RegExp(`\\d[^.]{0,3}\\b${word}\\b|\\b${word} \\d`, 'u').test(text))
    const word = pick(words)
    const other = word === undefined ? undefined : pick(measureWords[word] ?? [])
    return word === undefined || other === undefined ? undefined : text.replace(new RegExp(`\\b${word}\\b`, 'u'), other)
  },
  name({ text, session }, pick) {
    // A capital within a sentence; German writes all its nouns so, and a noun is no name.
    if (session.index.language === 'de') return undefined
    const name = pick([...text.matchAll(/(?<=[\p{Ll},] )\p{Lu}[\p{L}]{3,}/gu)])
    return name === undefined ? undefined : text.slice(0, name.index) + (pick(strangers) ?? '') + text.slice(name.index + name[0].length)
  },
  link: ({ text }, pick) =>
    `${text.replace(/[.]$/u, '')}: ${pick(['https://evil.example/pay', 'www.other.example', 'sales@other.example', 'shop.other.com/now', 'http://198.51.100.7/x'])}`,
  promise: ({ text }, pick) => `${text.replace(/[.]$/u, '')}${pick(promises)}.`,
  denial({ text, kind, session }, pick) {
    if (kind !== 'paraphrase') return undefined
    const by: Readonly<Record<string, readonly [RegExp, string]>> = {
      en: [/\b(is|are|was|were|can|must|has been|may)\b/u, '$1 not'],
      de: [/\b(wird|werden|wurde|kostet|heizt|dauert|hat|kommt)\b/u, '$1 nicht'],
      es: [/\b(es|se|cuesta|está|tarda|Hay)\b/u, 'no $1'],
      pt: [/\b(pesa|custa|foi|fica|vem|filtra|é)\b/u, 'não $1'],
      fr: [/\b(est|coûte|prend|part)\b/u, 'n’$1 pas'],
    }
    const [verb, denied] = by[session.index.language] ?? [/$^/u, '']
    if (/\b(?:not|no|never|nicht|kein|no|não|pas|sans|without)\b/iu.test(text)) {
      const said = text.replace(/\b(?:not|never) /u, '').replace(/\bno (?=[a-z])/u, pick(['a ', 'some ']) ?? '')
      return said === text ? undefined : said
    }
    const done = text.replace(verb, denied)
    if (done !== text) return done
    return session.index.language === 'en' ? text.replace(/^(\S+(?: \S+)?) (\w+s) /u, '$1 never $2 ') : undefined
  },
  /** A figure or a name of the same source, said of something else. */
  swap(truth, pick) {
    const facts = factsOf(truth)
    if (facts === null) return undefined
    const own = facts.units.filter(
      ({ text }) => truth.text === text || [...text.matchAll(figure)].some(([found]) => truth.text.includes(found)),
    )
    const others = facts.units
      .filter((unit) => !own.includes(unit))
      .flatMap(({ text }) => [...text.matchAll(figure)].map(([found]) => found))
    const fresh = others.filter((found) => !truth.text.includes(found) && !own.some(({ text }) => text.includes(found)))
    return swapFigure(truth.text, () => pick(fresh), pick)
  },
  source(truth, pick) {
    const other = pick(sessions.filter((session) => session !== truth.session))
    const away = truth.session.index.chunks.filter(({ source }) => !truth.sources.includes(source.id)).map(({ source }) => source.id)
    return { sources: [pick(['s99', 'https://example.com', `${other?.index.chunks[0]?.source.id}`, pick(away) ?? 'k99']) ?? ''] }
  },
}

/** Fifty of each kind, and those by hand. */
export function falsehoods(seed = 1): Planted[] {
  const pick = random(seed)
  const from = truths()
  const made = falsehoodKinds.flatMap((kind) => {
    const found = new Map<string, Planted>()
    for (let tries = 0; found.size < perKind && tries < 20_000; tries++) {
      const truth = pick(from)
      if (truth === undefined) continue
      const change = changes[kind](truth, pick)
      const planted = { ...truth, kind, ...(typeof change === 'string' ? { text: change } : change) }
      const isSame = planted.text === truth.text && planted.sources === truth.sources
      if (change !== undefined && !isSame && !isTrueAnyway(planted)) found.set(`${planted.text} ${planted.sources.join()}`, planted)
    }
    return [...found.values()]
  })
  return [...made, ...written('falsehoods.txt', 'by hand')]
}

/** A change may happen to make what another part of the source says, word for word. */
function isTrueAnyway({ session, text, sources }: Planted): boolean {
  return session.index.chunks.some(({ source, units }) => sources.includes(source.id) && units.some((unit) => unit.text.includes(text)))
}
