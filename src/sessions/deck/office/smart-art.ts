// The words of a SmartArt diagram in the order and the levels of its outline (ECMA-376 part 1, 21.4); of one without an outline,
// those of its drawing.
import type { ListItem, Words } from '../blocks/block.ts'
import { oneLine } from './text.ts'
import { child, children, descendants, type Element } from './xml.ts'

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
