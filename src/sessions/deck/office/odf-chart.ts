// What an OpenDocument chart was drawn from: the table that it keeps, series in columns below their names.
import type { Chart } from './chart.ts'
import { oneLine } from './text.ts'
import { child, children, descendants, type Element } from './xml.ts'

const rowsMax = 60
const columnsMax = 21

export function readOdfChart(content: Element | undefined): Chart {
  const chart = child(content, 'body', 'chart', 'chart')
  const axes = descendants(child(chart, 'plot-area'), 'axis').map((axis) => wordsOf(child(axis, 'title')))
  const title = wordsOf(child(chart, 'title'))
  const rows = descendants(child(chart, 'table'), 'table-row')
    .slice(0, rowsMax)
    .map((row) => children(row, 'table-cell').slice(0, columnsMax))
  const [head = [], ...body] = rows
  const series = head.slice(1).map((cell, at) => ({ name: wordsOf(cell), values: body.map((row) => valueOf(row[at + 1])) }))
  const held = series.filter(({ values }) => values.some((value) => value !== null))
  return {
    title,
    axes: axes.filter((name) => name !== ''),
    ...(held.length > 0 && { data: { categories: body.map(([first]) => wordsOf(first)), series: held } }),
  }
}

function wordsOf(holder: Element | undefined): string {
  const text = (each: Element): string => each.content.map((part) => (typeof part === 'string' ? part : text(part))).join('')
  return oneLine(descendants(holder, 'p').map(text).join(' '))
}

function valueOf(cell: Element | undefined): number | null {
  const value = Number(cell?.attributes['office:value'] ?? Number.NaN)
  return Number.isFinite(value) ? value : null
}
