// Presents what is seen rather than read: a table or a chart by what it compares and its extremes, a drawing by its main parts, a
// picture by the description that a person wrote. Without any of these it is left to the eye.
import { fill, languageOf } from '@rostrum/languages/languages'
import type { Block, ChartData, Piece } from '@rostrum/contract/block'
import { countWords, isFragment, isRead, keyOf } from './spoken-words.ts'
import { inside, joined, led, mayBeSaid, said, type Telling, type Unit, withoutStop } from './telling.ts'

type Table = Extract<Block, { kind: 'table' }>
type Figure = Extract<Block, { kind: 'figure' }>

/** After what its words say. */
export const pictureRank = 9
const namedMost = 4
const labelWordsMost = 5
const cellWordsMost = 8
const descriptionWordsMin = 4
const comparedWordsMost = 24

function unitOf(text: string, pieces: readonly Piece[], rank: number, telling: Telling): Unit {
  return { kind: 'narration', text, led: led(text, telling), pieces, rank }
}

const months =
  /(?<!\p{L})(?:jan|ene|janv|feb|fév|fev|mar|mär|apr|abr|avr|may|mai|jun|juin|jul|juil|aug|ago|août|sep|set|oct|okt|out|nov|dec|dez|dic|déc)\p{L}{0,7}\.?(?!\p{L})|[月年]/iu

/** The amount of a cell that is one: "$1,500", "12 %", "3.5 days"; a day of a month is none. */
export function amountOf(text: string): number | undefined {
  if (months.test(text)) return undefined
  const found = /^[^\p{L}\p{N}]{0,4}(?:[A-Z]{3}\s)?([-−]?\d[\d.,\u00a0\u202f ]*)\s?([^\d]{0,20})$/u.exec(text.trim())?.[1]
  if (found === undefined) return undefined
  const digits = found.replace(/[\s\u00a0\u202f]/gu, '').replace('−', '-')
  const plain = /^-?\d{1,3}(?:[.,]\d{3})+$/u.test(digits) ? digits.replace(/[.,]/gu, '') : digits.replace(',', '.')
  const amount = Number(plain)
  return Number.isFinite(amount) ? amount : undefined
}

/** "Turnaround (days)": what it is called, and what its cells count. */
function headerOf(text: string): { name: string; unit: string } {
  const [, unit = ''] = /\(([^()]{1,15})\)\s*$/u.exec(text) ?? []
  return { name: withoutStop(text.replace(/\([^()]{1,15}\)\s*$/u, '').trim()), unit }
}

export function presentTable(table: Table, telling: Telling, { emphasis }: { emphasis: readonly string[] }): Unit[] {
  const { phrases, language } = telling
  const [header = [], ...below] = table.rows
  const rows = (table.hasHeader ? below : table.rows).filter((row) => row.some((cell) => mayBeSaid(cell, telling)))
  const isShown = (cell: Piece | undefined): cell is Piece =>
    cell !== undefined && isRead(cell, language) && cell.text !== '' && countWords(cell.text, language) <= cellWordsMost
  const names = rows.map((row) => row[0]).filter(isShown)
  if (!table.hasHeader || names.length < 2 || header.length < 2) return []
  // Words that stood side by side, and no table.
  if (names.some(({ text }) => isFragment(text, language))) return []
  const columns = header.slice(1).filter((cell) => isShown(cell) && /\p{L}{2}|\p{Lo}/u.test(cell.text))
  const units: Unit[] = []
  // Rows that are numbers have no names.
  const isNamed = names.every(({ text }) => /\p{L}/u.test(text))
  if (columns.length > 0 && isNamed) {
    const gaps = { rows: listOf(names, telling), columns: listOf(columns, telling) }
    const text = fill(phrases.compares, gaps)
    // A table that is built up slide by slide is introduced once.
    if (!telling.seen.has(keyOf(text))) units.push(unitOf(text, [...header, ...names], 0, telling))
    telling.seen.add(keyOf(text))
  }
  const isHeard = units.every(({ text }) => countWords(text, language) <= comparedWordsMost)
  const stressed = rows.find((row) => emphasis.some((word) => row.some(({ text }) => text.includes(word))))
  const way = stressed === undefined ? extremesOf(header, rows, telling) : undefined
  // Long names side by side nobody holds in mind: what matters of them is enough.
  if (way !== undefined) return isHeard ? [...units, way] : [way]
  const row = stressed ?? rows[0]
  const pairs = (row ?? []).slice(1).flatMap((cell, at) => {
    const name = header[at + 1]
    return isShown(cell) && isShown(name) ? [`${inside(said(name.text, telling), telling)} ${valueOf(cell.text, name.text, telling)}`] : []
  })
  if (row?.[0] !== undefined && isShown(row[0]) && pairs.length > 0 && pairs.length <= namedMost) {
    const text = fill(phrases.led, { lead: said(row[0].text, telling), text: joined(pairs, language) })
    units.push({ kind: 'narration', text, pieces: row, rank: 1 })
  }
  return units
}

function listOf(pieces: readonly Piece[], telling: Telling): string {
  const texts = [...new Set(pieces.map(({ text }) => withoutStop(said(headerOf(text).name || text, telling))))]
  return joined(
    texts.slice(0, namedMost).map((text) => inside(text, telling)),
    telling.language,
  )
}

function valueOf(cell: string, header: string, telling: Telling): string {
  const { unit } = headerOf(header)
  return withoutStop(said(unit !== '' && /^[\d.,\s]{1,20}$/u.test(cell) ? `${cell} ${unit}` : cell, telling))
}

/** The highest and the lowest row of the first column of amounts. */
function extremesOf(header: readonly Piece[], rows: Table['rows'], telling: Telling): Unit | undefined {
  for (const [at, name] of header.entries()) {
    // "31" above a column says not of what.
    if (at === 0 || !/\p{L}{2}|\p{Lo}/u.test(name.text)) continue
    const found = rows.flatMap((row) => {
      const [label, cell] = [row[0], row[at]]
      const amount = cell === undefined ? undefined : amountOf(cell.text)
      return label === undefined || cell === undefined || amount === undefined || label.text === '' ? [] : [{ label, cell, amount }]
    })
    if (found.length < 2 || found.length < rows.length * 0.6) continue
    const order = found.toSorted((a, b) => b.amount - a.amount)
    const [high, low] = [order[0], order.at(-1)]
    if (high === undefined || low === undefined || high.amount === low.amount) continue
    const gaps = {
      header: inside(said(headerOf(name.text).name, telling), telling),
      high: withoutStop(said(high.label.text, telling)),
      highValue: valueOf(high.cell.text, name.text, telling),
      low: withoutStop(said(low.label.text, telling)),
      lowValue: valueOf(low.cell.text, name.text, telling),
    }
    return unitOf(fill(telling.phrases.extremes, gaps), [name, high.label, high.cell, low.label, low.cell], 0, telling)
  }
  return undefined
}

export function presentFigure(figure: Figure, telling: Telling): Unit[] {
  const pieces = [figure.caption, ...figure.labels].filter((piece) => piece !== undefined)
  switch (figure.shows) {
    case 'chart':
      return presentChart(figure, pieces, telling)
    case 'diagram':
      return presentDiagram(figure, telling)
    case 'picture':
    case 'screenshot':
      return presentPicture(figure, telling)
  }
}

/** Its main parts: each named once, in the order they are read. */
function presentDiagram({ labels, caption }: Figure, telling: Telling): Unit[] {
  const { phrases, language } = telling
  const isLabel = (label: Piece) =>
    label.confidence === undefined &&
    mayBeSaid(label, telling) &&
    countWords(label.text, language) <= labelWordsMost &&
    /\p{L}{2}/u.test(label.text) &&
    /^[\p{L}\p{N}]/u.test(label.text) &&
    !/[?!:;，,_]/u.test(label.text)
  const once = [...new Map(labels.filter(isLabel).map((label) => [keyOf(label.text), label])).values()]
  // What is written large is what the drawing is about; its remarks are written small.
  const main = once.filter(({ text }) => !/^\p{Ll}/u.test(text))
  const named = (main.length >= 2 ? main : once).slice(0, namedMost)
  if (named.length < 2) return []
  const list = joined(
    named.map(({ text }) => withoutStop(said(text, telling))),
    language,
  )
  const text = fill(phrases.diagram, { list })
  return [unitOf(text, [...(caption ? [caption] : []), ...named], pictureRank, telling)]
}

function presentPicture({ alt }: Figure, telling: Telling): Unit[] {
  if (alt === undefined || !mayBeSaid(alt, telling) || countWords(alt.text, telling.language) < descriptionWordsMin) return []
  const described = withoutStop(said(alt.text, telling))
  return [{ kind: 'narration', text: fill(telling.phrases.pictureOf, { text: described }), pieces: [alt], rank: pictureRank }]
}

/** As programs call what nobody named. */
const unnamed = /^(?:data )?(?:series|reihe|datenreihe|série|serie|系列|سلسلة)\s?\d*$/iu

function presentChart({ data, caption }: Figure, pieces: readonly Piece[], telling: Telling): Unit[] {
  const { phrases, language } = telling
  const name = caption !== undefined && mayBeSaid(caption, telling) ? withoutStop(said(caption.text, telling)) : undefined
  const first = data?.series[0]
  const ends = [data?.categories[0], data?.categories.at(-1)]
  if (data === undefined || first === undefined || ends[0] === undefined || ends[1] === undefined) {
    return name === undefined ? [] : [unitOf(fill(phrases.chartOf, { title: inside(name, telling) }), pieces, 0, telling)]
  }
  const names = data.series.map((series) => series.name).filter((series) => /\p{L}{2}|\p{Lo}/u.test(series) && !unnamed.test(series))
  const series =
    names.length === 0
      ? name
      : joined(
          names.slice(0, namedMost).map((each) => inside(said(each, telling), telling)),
          language,
        )
  if (series === undefined) return []
  const range = { from: said(ends[0], telling), to: said(ends[1], telling) }
  const way = data.series.length === 1 ? chartTrend(data, inside(name ?? series, telling), range, telling) : undefined
  // Names in no order have no first and last.
  const isOrdered = data.categories.every((category) => /\d/u.test(category))
  const text = isOrdered ? fill(phrases.chart, { series, ...range }) : fill(phrases.chartOf, { title: series })
  const shown = isOrdered || way === undefined ? [unitOf(text, pieces, 0, telling)] : []
  return [...shown, ...(way === undefined ? [] : [unitOf(way, pieces, 0, telling)])]
}

/** Over time its way, else its highest and lowest. */
function chartTrend(data: ChartData, name: string, range: { from: string; to: string }, telling: Telling): string | undefined {
  const { phrases, language } = telling
  const found = data.categories.flatMap((category, at) => {
    const value = data.series[0]?.values[at]
    return typeof value === 'number' ? [{ category, value }] : []
  })
  const [first, last] = [found[0], found.at(-1)]
  if (first === undefined || last === undefined || found.length < 2) return undefined
  const spoken = (value: number) => said(formatted(value, data.format ?? '', language), telling)
  const isTime = found.every(({ category }) => /(?:19|20)\d\d|^Q[1-4]/u.test(category))
  if (isTime && first.value !== last.value) {
    const change = fill(languageOf(language).numbers.change, { from: spoken(first.value), to: spoken(last.value) })
    return fill(phrases.rise, { series: name.charAt(0).toUpperCase() + name.slice(1), change, ...range })
  }
  const order = found.toSorted((a, b) => b.value - a.value)
  const [high, low] = [order[0], order.at(-1)]
  if (high === undefined || low === undefined || high.value === low.value) return undefined
  return fill(phrases.extremes, {
    header: name,
    high: said(high.category, telling),
    highValue: spoken(high.value),
    low: said(low.category, telling),
    lowValue: spoken(low.value),
  })
}

/** As the file's format says: a share in percent, money with its sign. */
function formatted(value: number, format: string, language: string): string {
  const isShare = format.includes('%')
  const amount = new Intl.NumberFormat(language, { maximumFractionDigits: 2, numberingSystem: 'latn' }).format(
    isShare ? value * 100 : value,
  )
  const sign = /[€$£¥]/u.exec(format)?.[0] ?? ''
  return isShare ? `${amount} %` : sign === '' ? amount : sign === '€' ? `${amount} €` : `${sign}${amount}`
}
