// What a chart was drawn from: the values that the file keeps beside the drawing (ECMA-376 part 1, 21.2; `cx` of 2014), its title
// and the names of its axes. The spreadsheet inside is never opened.
import type { ChartData, ListItem, Words } from '@rostrum/contract/block'
import { child, children, descendants, type Element } from './package.ts'
import { oneLine } from './text.ts'

export interface Chart {
  title: string
  axes: readonly string[]
  data?: ChartData
}

const categoriesMax = 60
const seriesMax = 20

export function readChart(chartSpace: Element): Chart {
  const chart = child(chartSpace, 'chart')
  const plot = child(chart, 'plotArea')
  const axes = (plot?.children ?? []).flatMap(({ name, children: parts }) =>
    /Ax$|^axis$/.test(name) ? parts.filter((part) => part.name === 'title').map(richText) : [],
  )
  const data = child(chartSpace, 'chartData') === undefined ? classicData(plot) : newerData(chartSpace, plot)
  return { title: richText(child(chart, 'title')), axes: axes.filter((name) => name !== ''), ...(data && { data }) }
}

/** Typed text, or what a cell held. */
function richText(title: Element | undefined): string {
  const paragraphs = descendants(title, 'p').map((paragraph) =>
    descendants(paragraph, 't')
      .map(({ text }) => text)
      .join(''),
  )
  const words = paragraphs.length > 0 ? paragraphs : descendants(title, 'v').map(({ text }) => text)
  return oneLine(words.join(' '))
}

interface Points {
  values: string[]
  format?: string
}

function pointsOf(holder: Element | undefined): Points | undefined {
  const levels = descendants(holder, 'lvl')
  const cache = levels[0] ?? ['strCache', 'numCache', 'strLit', 'numLit'].flatMap((name) => descendants(holder, name))[0]
  if (cache === undefined) return undefined
  const values: string[] = []
  for (const point of children(cache, 'pt')) {
    const at = Number(point.attributes['idx'] ?? values.length)
    if (Number.isInteger(at) && at >= 0 && at < categoriesMax) values[at] = oneLine(child(point, 'v')?.text ?? point.text)
  }
  const format = child(cache, 'formatCode')?.text ?? cache.attributes['formatCode']
  return { values: Array.from(values, (value) => value ?? ''), ...(format !== undefined && format !== 'General' && { format }) }
}

function classicData(plot: Element | undefined): ChartData | undefined {
  const series = (plot?.children ?? [])
    .filter(({ name }) => name.endsWith('Chart'))
    .flatMap((group) => children(group, 'ser'))
    .slice(0, seriesMax)
  const first = series.map((each) => pointsOf(child(each, 'cat') ?? child(each, 'xVal'))).find((points) => points !== undefined)
  const read = series.map((each) => ({
    name: seriesName(child(each, 'tx')),
    points: pointsOf(child(each, 'val') ?? child(each, 'yVal')) ?? { values: [] },
    label: descendants(child(each, 'dLbls'), 'numFmt')[0]?.attributes['formatCode'],
  }))
  return dataOf(first, read)
}

/** Waterfalls, funnels, tree maps: their values stand in a list of their own. */
function newerData(chartSpace: Element, plot: Element | undefined): ChartData | undefined {
  const held = new Map(children(child(chartSpace, 'chartData'), 'data').map((data) => [data.attributes['id'], data]))
  const series = descendants(plot, 'series').slice(0, seriesMax)
  const dataFor = (each: Element | undefined) => held.get(child(each, 'dataId')?.attributes['val'])
  const first = pointsOf(child(dataFor(series[0]), 'strDim'))
  const read = series.map((each) => ({
    name: seriesName(child(each, 'tx')),
    points: pointsOf(child(dataFor(each), 'numDim')) ?? { values: [] },
    label: undefined,
  }))
  return dataOf(first, read)
}

function seriesName(text: Element | undefined): string {
  return oneLine(
    descendants(text, 'v')
      .map((value) => value.text)
      .join(' '),
  )
}

function dataOf(
  categories: Points | undefined,
  series: readonly { name: string; points: Points; label: string | undefined }[],
): ChartData | undefined {
  const held = series.filter(({ points }) => points.values.some((value) => value !== ''))
  const count = Math.max(0, ...held.map(({ points }) => points.values.length))
  if (count === 0) return undefined
  const names = Array.from({ length: count }, (_, at) => nameOf(categories?.values[at] ?? '', categories?.format))
  const format = held.map(({ points, label }) => points.format ?? label).find((each) => each !== undefined && each !== 'General')
  return {
    categories: names,
    series: held.map(({ name, points }) => ({
      name,
      values: Array.from({ length: count }, (_, at) => numberOf(points.values[at] ?? '')),
    })),
    ...(format !== undefined && { format }),
  }
}

function numberOf(text: string): number | null {
  const value = Number(text)
  return text === '' || !Number.isFinite(value) ? null : Number(value.toPrecision(12))
}

const dayMs = 86_400_000
/** Day 0 of a spreadsheet. */
const firstDay = Date.UTC(1899, 11, 30)

/** A category that is a date is kept as a count of days. */
function nameOf(value: string, format = ''): string {
  const isDate = /[ymd]/i.test(format.replace(/"[^"]{0,40}"|\[[^\]]{0,40}\]/g, '')) && /^\d{4,6}(?:\.\d+)?$/.test(value)
  if (!isDate) return value
  const iso = new Date(firstDay + Number(value) * dayMs).toISOString()
  if (/d/i.test(format)) return iso.slice(0, 10)
  return /m/i.test(format) ? iso.slice(0, 7) : iso.slice(0, 4)
}

// The words of a SmartArt diagram in the order and the levels of its outline (ECMA-376 part 1, 21.4); of one without an outline,
// those of its drawing.

export type OutlineItem = Words & ListItem

const levelsMax = 6

/** `drawing`: what PowerPoint drew of it. */
export function readSmartArt(data: Element | undefined, drawing: Element | undefined): OutlineItem[] {
  const items = outlineOf(data)
  if (items.length > 0) return items
  return descendants(drawing, 'txBody')
    .map(textOf)
    .filter((text) => text !== '')
    .map((text) => ({ text, level: 0 }))
}

function outlineOf(data: Element | undefined): OutlineItem[] {
  const points = new Map(children(child(data, 'ptLst'), 'pt').map((point) => [point.attributes['modelId'] ?? '', point]))
  const below = new Map<string, { to: string; order: number }[]>()
  for (const { attributes } of children(child(data, 'cxnLst'), 'cxn')) {
    if ((attributes['type'] ?? 'parOf') !== 'parOf') continue
    const from = attributes['srcId'] ?? ''
    below.set(from, [...(below.get(from) ?? []), { to: attributes['destId'] ?? '', order: Number(attributes['srcOrd'] ?? 0) }])
  }
  const root = [...points.values()].find(({ attributes }) => attributes['type'] === 'doc')
  const isSequence = /^(?:process|cycle)/.test(child(root, 'prSet')?.attributes['loCatId'] ?? '')
  const items: OutlineItem[] = []
  const seen = new Set<string>()
  const visit = (id: string, level: number) => {
    if (seen.has(id) || level > levelsMax) return
    seen.add(id)
    const point = points.get(id)
    const text = textOf(child(point, 't'))
    const isPrompt = isOnPrompt(point)
    if (level >= 0 && text !== '' && !isPrompt) items.push({ text, level, ...(isSequence && level === 0 && { isOrdered: true as const }) })
    const next = (below.get(id) ?? []).toSorted((one, other) => one.order - other.order)
    for (const { to } of next) visit(to, text === '' && level >= 0 ? level : level + 1)
  }
  if (root !== undefined) visit(root.attributes['modelId'] ?? '', -1)
  return items
}

/** "[Text]", which nobody replaced. */
function isOnPrompt(point: Element | undefined): boolean {
  return child(point, 'prSet')?.attributes['phldr'] === '1'
}

function textOf(body: Element | undefined): string {
  const lines = descendants(body, 'p').map((paragraph) =>
    oneLine(paragraph.children.map((run) => (run.name === 'br' ? ' ' : (child(run, 't')?.text ?? ''))).join('')),
  )
  return lines.filter((line) => line !== '').join(' ')
}
