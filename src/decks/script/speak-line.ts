// Turns one written line into words that can be said: "turnaround 11.2 -> 8.7 days" becomes "turnaround from 11.2 to 8.7 days". Rules
// only, in a fixed order; figures themselves are never changed.
import { baseLanguage } from '../language.ts'
import { numberWordsFor, type NumberWords } from './number-words.ts'

const figure = String.raw`\d+(?:[.,\u00a0\u202f ]\d{3})*(?:[.,]\d+)?`
const arrow = String.raw`(?<!\s)\s*(?:->|-->|=>|→|➜|➔|⟶|⇒)\s*`
const magnitude = String.raw`(?:\s?(?:million|billion|trillion|thousand|millones|millions|milliards?|Millionen|Milliarden|Mio\.|milhões|bilhões|[kMB](?!\p{L})))?`

function escaped(symbols: readonly string[]): string {
  return symbols
    .toSorted((a, b) => b.length - a.length)
    .map((symbol) => symbol.replace(/[$.*+?^()[\]{}|\\]/g, '\\$&'))
    .join('|')
}

/** A singular belongs to exactly one. */
function form(amount: string, [one, many]: readonly [string, string]): string {
  return amount.trim() === '1' ? one : many
}

interface Rules {
  changes: RegExp
  currencyFirst: RegExp
  currencyLast: RegExp
  units: RegExp
  perUnit: RegExp
}

const compiled = new Map<NumberWords, Rules>()

function rulesFor(words: NumberWords): Rules {
  let rules = compiled.get(words)
  if (!rules) {
    const currency = escaped(Object.keys(words.currencies))
    const unit = escaped(Object.keys(words.units))
    const span = escaped(Object.keys(words.spans))
    rules = {
      changes: new RegExp(
        String.raw`(?<![\p{L}\d])([-+−]?(?:${currency}|)\s?${figure}(?:\s?(?:%|${currency}|${unit})(?![\p{L}\d]))?)${arrow}([-+−]?(?:${currency}|)\s?${figure})`,
        'gu',
      ),
      currencyFirst: new RegExp(String.raw`(?<![\p{L}\d$])(${currency})\s?(${figure})(${magnitude})`, 'gu'),
      currencyLast: new RegExp(String.raw`(?<![\p{L}\d])(${figure})(${magnitude})\s?(${currency})(?![\p{L}\d])`, 'gu'),
      units: new RegExp(String.raw`(?<![\p{L}\d])(${figure})(\s?)(${unit})(?![\p{L}\d²³])`, 'gu'),
      perUnit: new RegExp(String.raw`(?<=[\p{L}\d%])\s?/\s?(${span === '' ? '(?!)' : span})(?![\p{L}\d/])`, 'gu'),
    }
    compiled.set(words, rules)
  }
  return rules
}

/** "1990s" is no duration: a year with a letter stays as it is. */
function isDecade(amount: string, gap: string, symbol: string): boolean {
  return symbol === 's' && gap === '' && /^\d{4}$/.test(amount)
}

function signs(text: string, words: NumberWords): string {
  return text
    .replace(/(?:\+\s?\/\s?[-−–]|±)\s?(?=\d)/gu, `${words.plusMinus} `)
    .replace(/(?<![\p{L}\p{N}.,])[-−–](?=\d)/gu, `${words.minus} `)
    .replace(/(?<![\p{L}\p{N}.,])\+(?=\d)(?!\d{1,3}[\s-]\(?\d)/gu, `${words.plus} `)
    .replace(/(?<![\p{L}\d])[~≈]\s?(?=[\d€$£])/gu, `${words.about} `)
    .replace(/(?:≥|>=)\s?(?=[\d€$£])/gu, `${words.atLeast} `)
    .replace(/(?:≤|<=)\s?(?=[\d€$£])/gu, `${words.atMost} `)
    .replace(/<\s?(?=[\d€$£])/gu, `${words.under} `)
    .replace(/(?<![-=])>\s?(?=[\d€$£])/gu, `${words.over} `)
}

/** "empty / part / full" becomes "empty, part or full". */
function slashList(text: string, or: string): string {
  return text.replace(/(?<=[\p{L}\d-])(?:\s\/\s[\p{L}\d-]+)+/gu, (run) => {
    const items = run.split('/').map((item) => item.trim())
    const last = items.at(-1) ?? ''
    return `${items
      .slice(1, -1)
      .map((item) => `, ${item}`)
      .join('')} ${or} ${last}`
  })
}

function readNumbers(text: string, words: NumberWords): string {
  const rules = rulesFor(words)
  let read = text.replace(rules.changes, (_, from: string, to: string) => words.change(from.trim(), to.trim()))
  read = signs(read, words)
  read = read.replace(/(?<![\p{L}\d.,:/-])(\d[\d.,]*)\s?[–—-]\s?(\d[\d.,]*)(?![\d.,:/-]|\s?[–—-]\s?\d)/gu, (_, from: string, to: string) =>
    words.range(from, to),
  )
  read = read.replace(/(?<=\d)\s?[x×]\s?(?=\d)/gu, ` ${words.by} `)
  read = read.replace(rules.currencyFirst, (whole, symbol: string, amount: string, size: string) => {
    const names = words.currencies[symbol]
    return names ? `${amount}${size} ${form(amount + size, names)}` : whole
  })
  read = read.replace(rules.currencyLast, (whole, amount: string, size: string, symbol: string) => {
    const names = words.currencies[symbol]
    return names ? `${amount}${size} ${form(amount + size, names)}` : whole
  })
  read = read.replace(rules.perUnit, (whole, symbol: string) =>
    words.spans[symbol] === undefined ? whole : ` ${words.per} ${words.spans[symbol]}`,
  )
  read = read.replace(rules.units, (whole, amount: string, gap: string, symbol: string) => {
    const names = words.units[symbol]
    return names && !isDecade(amount, gap, symbol) ? `${amount} ${form(amount, names)}` : whole
  })
  return read.replace(/(?<=\d)\s?[%٪](?!\p{L})/gu, words.percent === '%' ? '%' : ` ${words.percent}`)
}

/** "Founded 2016" is how it is written, "founded in 2016" how it is said. */
const datedVerb = /\b(founded|established|launched|started|built|opened|reopened|completed|introduced|created)\s(?=(?:1[5-9]|20)\d\d\b)/giu

/** One line of a slide as it is said; the first letter large, no mark at the end. Never empty for a line that holds a letter or digit. */
export function speakable(line: string, language: string): string {
  const words = numberWordsFor(language)
  let text = line
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/[\p{Extended_Pictographic}\u2713\u2714\u2022\u25cf\u25a0\u2605\u2606]/gu, (mark) => (/[\d#*]/.test(mark) ? mark : ' '))
    .replace(/[*_`]{1,3}(?=\S)([^*_`]+)[*_`]{1,3}/gu, '$1')
  if (baseLanguage(language) === 'en') text = text.replace(datedVerb, '$1 in ')
  text = readNumbers(text, words)
  text = slashList(text, words.or)
    .replace(new RegExp(arrow, 'gu'), `, ${words.next} `)
    .replace(/\s(?:&|\+)\s/gu, ` ${words.and} `)
    .replace(/\s[–—]\s|\s-\s/gu, ', ')
    .replace(/(?<!\s)\s*\|\s*/gu, ', ')
    .replace(/\s+/gu, ' ')
    .replace(/(?<!\s)\s+([,;.!?])/gu, language.startsWith('fr') ? '$&' : '$1')
    .replace(/^[\s,;:]+|(?<![\s,;:–—-])[\s,;:–—-]+$/gu, '')
  return /^[\p{L}'’-]+(?:[\s,.:;!?)]|$)/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
