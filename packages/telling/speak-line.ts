// Turns one written line into words that can be said: "turnaround 11.2 -> 8.7 days" becomes "turnaround from 11.2 to 8.7 days". Rules
// only, in a fixed order; figures themselves are never changed.
import { baseLanguage, fill, findLanguage, type Language } from '@rostrum/languages/languages'

const figure = String.raw`\d+(?:[.,\u00a0\u202f ]\d{3})*(?:[.,]\d+)?`
const arrow = String.raw`(?<!\s)\s*(?:-{1,5}>|=>|→|➜|➔|⟶|⇒)\s*`
/** Written as a letter: K, M, bn, and in German Mio. and Mrd. */
const size = String.raw`(?:\s?(?:[kK]|M|MM|m|mn|mio\.?|Mio\.?|[bB]n?|Mrd\.?)(?![\p{Script=Latin}\p{N}]))`
const magnitude = String.raw`(?:${size}|\s?(?:million|billion|trillion|thousand|millones|millions?|milliards?|Millionen|Millione?|Milliarden?|Tausend|milhões|milhão|bilhões|mil)(?!\p{Script=Latin}))?`

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
  moneyRange: RegExp
  currencyFirst: RegExp
  currencyLast: RegExp
  units: RegExp
  perUnit: RegExp
}

const compiled = new Map<Language['numbers'], Rules>()

function rulesFor(words: Language['numbers']): Rules {
  let rules = compiled.get(words)
  if (!rules) {
    const currency = escaped(Object.keys(words.currencies))
    const unit = escaped(Object.keys(words.units))
    const span = escaped(Object.keys(words.spans))
    rules = {
      changes: new RegExp(
        String.raw`(?<![\p{Script=Latin}\d])([-+−]?(?:${currency}|)\s?${figure}(?:\s?(?:%|${currency}|${unit})(?![\p{L}\d]))?)${arrow}([-+−]?(?:${currency}|)\s?${figure})`,
        'gu',
      ),
      moneyRange: new RegExp(
        String.raw`(?<![\p{Script=Latin}\d$])(${currency})\s?(${figure})(${magnitude})\s?[–—-]\s?(?:${currency})?\s?(${figure})(${magnitude})(?![\d.,]*\d)`,
        'gu',
      ),
      currencyFirst: new RegExp(
        String.raw`(?<![\p{Script=Latin}\d$])(${currency})\s?(${figure})(${magnitude})(?:\s(?:USD|EUR|GBP|MXN|CAD|AUD)(?!\p{L}))?`,
        'gu',
      ),
      currencyLast: new RegExp(
        String.raw`(?<![\p{Script=Latin}\d])(${figure})(${magnitude})\s?(${currency})(?![\p{Script=Latin}\d])`,
        'gu',
      ),
      units: new RegExp(String.raw`(?<![\p{Script=Latin}\d])(${figure})(\s?)(${unit})(?![\p{Script=Latin}\d²³])`, 'gu'),
      perUnit: new RegExp(String.raw`(?<=[\p{L}\d%])\s?/\s?(${span === '' ? '(?!)' : span})(?![\p{L}\d/])`, 'gu'),
    }
    compiled.set(words, rules)
  }
  return rules
}

const sizeOf = (letter: string): 0 | 1 | 2 | undefined => {
  const bare = letter.trim().replace('.', '').toLowerCase()
  if (bare === 'k') return 0
  if (['m', 'mm', 'mn', 'mio'].includes(bare)) return 1
  return ['b', 'bn', 'mrd'].includes(bare) ? 2 : undefined
}

/** In Chinese and Japanese large amounts are counted in ten thousands. */
function myriads(amount: string, exponent: number, language: string): string | undefined {
  const value = Number(amount.replaceAll(',', '')) * 10 ** exponent
  if (!Number.isFinite(value)) return undefined
  const base = baseLanguage(language)
  const [unit, name] = value >= 1e8 ? [1e8, base === 'ja' ? '億' : '亿'] : [1e4, base === 'ja' ? '万' : '万']
  return value < 1e4 ? String(value) : `${Number((value / unit).toFixed(4))}${name}`
}

/** "3.5M" with its size in words; `counted` joins on what is counted, money above all. */
function amountOf(amount: string, letter: string, words: Language['numbers'], language: string, counted = ''): string {
  const place = sizeOf(letter)
  if (place === undefined) {
    const joins = /(?:mill|milh|bilh|milliard)/iu.test(letter) ? words.of : ' '
    return counted === '' ? `${amount}${letter}` : `${amount}${letter}${joins}${counted}`
  }
  if (/^(?:ja|zh)$/.test(baseLanguage(language))) return `${myriads(amount, 3 + place * 3, language) ?? amount}${counted}`
  const [one, many] = words.sizes[place]
  const named = `${amount} ${/^1(?:[.,]\d+)?$/u.test(amount) ? one : many}`
  return counted === '' ? named : `${named}${place === 0 || baseLanguage(language) === 'ar' ? ' ' : words.of}${counted}`
}

const elided = (text: string, language: string): string =>
  baseLanguage(language) === 'fr' ? text.replace(/(?<=(?:million|milliard)s?\s)de (?=[eé])/gu, 'd’') : text

/** A date as the language says it; only one that is written as a date and is one. */
function dates(text: string, language: string): string {
  return text.replace(/(?<![\d-])((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])/gu, (whole) => {
    const date = new Date(`${whole}T12:00:00Z`)
    if (Number.isNaN(date.getTime())) return whole
    const tag = `${baseLanguage(language) === 'en' ? 'en-GB' : language}-u-nu-latn`
    return new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
  })
}

/** "1990s" is no duration: a year with a letter stays as it is. */
function isDecade(amount: string, gap: string, symbol: string): boolean {
  return symbol === 's' && gap === '' && /^\d{4}$/.test(amount)
}

function signs(text: string, words: Language['numbers'], language: string): string {
  const over = baseLanguage(language) === 'ja' ? `$1${words.atLeast}` : `${words.over} $1`
  return (
    text
      .replace(/(?:\+\s?\/\s?[-−–]|±)\s?(?=\d)/gu, `${words.plusMinus} `)
      .replace(/(?<![\p{L}\p{N}.,])[-−–](?=\d)/gu, `${words.minus} `)
      .replace(/^\s*\+\s?(\d{2,})(?=\s\p{L}{3})/u, over)
      .replace(/(?<![\p{L}\d.,])(\d[\d.,]*[kKM]?)\+(?=\s?\p{L}{3}|$)/gu, over)
      .replace(/(?<![\p{L}\p{N}.,])\+(?=\d)(?!\d{1,3}[\s-]\(?\d)/gu, `${words.plus} `)
      // "Over 250+" has said so already.
      .replace(new RegExp(`(?<!\\p{L})(${words.over}|${words.atLeast}) \\1(?= )`, 'giu'), '$1')
      .replace(/(?<![\p{L}\d])[~≈]\s?(?=[\d€$£])/gu, `${words.about} `)
      .replace(/(?:≥|>=)\s?(?=[\d€$£])/gu, `${words.atLeast} `)
      .replace(/(?:≤|<=)\s?(?=[\d€$£])/gu, `${words.atMost} `)
      .replace(/<\s?(?=[\d€$£])/gu, `${words.under} `)
      .replace(/(?<![-=])>\s?(?=[\d€$£])/gu, `${words.over} `)
  )
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

function readNumbers(text: string, words: Language['numbers'], language: string): string {
  const rules = rulesFor(words)
  const named = (symbol: string, amount: string) => form(amount, words.currencies[symbol] ?? ['', ''])
  // "USD $5,000*": the sign says it, and the mark leads to a footnote.
  const bare = text
    .replace(/(?<!\p{L})(?:USD|EUR|GBP|MXN|CAD|AUD)\s(?=[$€£]\s?\d)/giu, '')
    .replace(/(?<=[\p{L}\p{N}])\*{1,3}(?=[\s.,;:)]|$)/gu, '')
  let read = dates(bare, language).replace(rules.changes, (_, from: string, to: string, at: number, whole: string) => {
    const text = fill(words.change, { from: from.trim(), to: to.trim() })
    const [first = ''] = text.split(' ')
    // "From 5 -> 2" has its first word already.
    return text !== first && whole.slice(0, at).toLowerCase().endsWith(`${first} `) ? text.slice(first.length + 1) : text
  })
  read = read.replace(rules.moneyRange, (_, symbol: string, from: string, small: string, to: string, letter: string) => {
    const isShared = (small === '' || small === letter) && !/^(?:ja|zh)/.test(language)
    const start = isShared ? from : amountOf(from, small === '' ? letter : small, words, language)
    return fill(words.range, { from: start, to: amountOf(to, letter, words, language, named(symbol, '2')) })
  })
  read = read.replace(/(?<![\d:])(\d{1,2}:\d\d)\s?[–—-]\s?(\d{1,2}:\d\d)(?![\d:])/gu, (_, from: string, to: string) =>
    fill(words.range, { from, to }),
  )
  read = signs(read, words, language)
  read = read.replace(
    /(?<![\p{L}\d.,:/-])(\d[\d.,]*)\s?[–—-]\s?(\d[\d.,]*)(?![\d.,/-]|:\d|\s?[–—-]\s?\d)/gu,
    (whole, from: string, to: string) =>
      // "Top 10 - 2013" is no range: only a year goes on to a year; and no number of a book is.
      /\d{7}/u.test(to) || (/^(?:19|20)\d\d$/u.test(to) && from.length < 4 && /\s/u.test(whole)) ? whole : fill(words.range, { from, to }),
  )
  read = read.replace(/(?<=\d)\s?[x×]\s?(?=\d)/gu, ` ${words.by} `)
  read = read.replace(rules.currencyFirst, (_, symbol: string, amount: string, letter: string) =>
    amountOf(amount, letter, words, language, named(symbol, amount + letter)),
  )
  read = read.replace(rules.currencyLast, (_, amount: string, letter: string, symbol: string) =>
    amountOf(amount, letter, words, language, named(symbol, amount + letter)),
  )
  // Of screens and phone nets the letter is a name.
  read = read.replace(
    /(?<![\p{L}\d.,$€£])(\d[\d.,]*)\s?(K|k|M|bn|Mio\.?|Mrd\.?)(?![\p{L}\d/-])/gu,
    (whole, amount: string, letter: string) =>
      /^[248]$/u.test(amount) && /k/iu.test(letter) ? whole : amountOf(amount, letter, words, language),
  )
  read = elided(read, language)
  read = read.replace(rules.perUnit, (whole, symbol: string) =>
    words.spans[symbol] === undefined ? whole : ` ${words.per} ${words.spans[symbol]}`,
  )
  read = read.replace(rules.units, (whole, amount: string, gap: string, symbol: string) => {
    const names = words.units[symbol]
    return names && !isDecade(amount, gap, symbol) ? `${amount} ${form(amount, names)}` : whole
  })
  return read.replace(/(?<=\d)\s?[%٪](?!\p{L})/gu, words.percent === '%' ? '%' : ` ${words.percent}`)
}

/** One line of a slide as it is said; the first letter large, no mark at the end. Never empty for a line that holds a letter or digit. */
export function speakable(line: string, language: string): string {
  const words = findLanguage(language)?.numbers
  let text = line
    .toWellFormed()
    // Some writers of PDFs put a hyphen down three times: as itself, as a soft one, as another sign.
    .replace(/(?<=[-\u2010])\u00ad[-\u2010]|\u00ad/gu, '')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    // A number in a key, as people write it who look for a bullet.
    .replace(/(?<!\d)\d\ufe0f?\u20e3\s?/gu, '')
    .replace(/[\p{Extended_Pictographic}\u2713\u2714\u2022\u25cf\u25a0\u2605\u2606]/gu, (mark) => (/[\d#*]/.test(mark) ? mark : ' '))
    .replace(/[*_`]{1,3}(?=\S)([^*_`]+)[*_`]{1,3}/gu, '$1')
  if (baseLanguage(language) === 'en') {
    text = text
      .replace(/(?<!\p{L})e\.\s?g\.,?\s/giu, 'for example ')
      .replace(/(?<=\p{L}) i\.?\s?e\.,?\s/giu, ', that is, ')
      .replace(/(?<!\p{L})i\.?\s?e\.,?\s/giu, 'that is, ')
  }
  text = text.replace(/^\s*\.{2,3}\s?(?=\p{L})/u, '')
  // "2. Measure", "I3. Networks": a stop after the number of a point would be heard as an end.
  text = text.replace(/^\s*\d{1,2}\.\s+(?=\p{L})/u, '').replace(/^(\s*\p{Lu}{1,2}\d{1,3})\.\s+(?=\p{L})/u, '$1 ')
  if (words !== undefined) {
    text = slashList(readNumbers(text, words, language), words.or)
      .replace(new RegExp(arrow, 'gu'), `, ${words.next} `)
      .replace(/(?<=^|\s)%(?=\s\p{L})/gu, words.percent)
      .replace(/\s(?:&|\+)\s/gu, ` ${words.and} `)
  }
  text = text
    .replace(new RegExp(arrow, 'gu'), ', ')
    .replace(/(?<=[.!?…]["”»’)]?)\s[–—-]\s/gu, ' ')
    .replace(/\s[–—]\s|\s-\s/gu, ', ')
    .replace(/\s+/gu, ' ')
    .replace(/(?<=[\p{Script=Han}，、。；：]) (?=\p{Script=Han})/gu, '')
    .replace(/^[*†‡]{1,3}\s?/u, '')
    .replace(/,\s?\.{2,3}/gu, ', …')
    .replace(/(?<!\.)\.\.(?!\.)/gu, '.')
    .replace(/^([^“”]*)”([.!?]?)$/u, '$1$2')
    .replace(/(?<!\s)\s+([,;:.!?])(?![\p{L}\p{N}])/gu, language.startsWith('fr') ? '$&' : '$1')
    .replace(/^(?:[-–—…+]\s|[\s,;:])+|(?<![\s,;:–—-])[\s,;:–—-]+$/gu, '')
  // A brand keeps its small letter.
  return /^[\p{L}'’-]+(?:[\s,.:;!?)]|$)/u.test(text) && !/^\p{Ll}+\p{Lu}/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
