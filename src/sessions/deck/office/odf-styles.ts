// The styles of an OpenDocument file that matter to a reader: sizes and weights of type, which list levels are numbered, which pages
// are hidden, how large a page is.
import type { Size } from './shapes.ts'
import { child, children, descendants, type Element } from './xml.ts'

export interface TextLooks {
  /** Points. */
  size?: number
  isBold?: boolean
  font?: string
}

export interface Styles {
  /** Of a style and those it is made from. */
  text(name: string): TextLooks
  bulletAt(list: string, level: number): 'none' | 'mark' | 'number'
  isHidden(page: string): boolean
  sizeOf(master: string): Size
}

/** Points in a unit. */
const units: Readonly<Record<string, number>> = { pt: 1, in: 72, cm: 72 / 2.54, mm: 72 / 25.4, px: 0.75, pc: 12 }
/** Where the file names none: 16:9. */
const sizeByDefault: Size = { width: 28 * (72 / 2.54), height: 15.75 * (72 / 2.54) }
const ancestorsMax = 12

export function lengthOf(value: string | undefined): number | undefined {
  const found = /^(-?[\d.]{1,12})(pt|in|cm|mm|px|pc)$/.exec(value ?? '')
  const number = Number(found?.[1] ?? Number.NaN) * (units[found?.[2] ?? ''] ?? Number.NaN)
  return Number.isFinite(number) ? number : undefined
}

export function readStyles(content: Element, styles: Element | undefined): Styles {
  const holders = [child(content, 'automatic-styles'), child(styles, 'styles'), child(styles, 'automatic-styles')]
  const named = (kind: string) => {
    const found = new Map<string, Element>()
    for (const each of holders.flatMap((holder) => children(holder, kind))) {
      const name = each.attributes['style:name'] ?? ''
      if (!found.has(name)) found.set(name, each)
    }
    return found
  }
  const all = named('style')
  const lists = named('list-style')
  const layouts = named('page-layout')
  const masters = new Map(
    children(child(styles, 'master-styles'), 'master-page').map((each) => [each.attributes['style:name'] ?? '', each]),
  )
  const ancestry = (name: string) => {
    const found: Element[] = []
    for (
      let at = all.get(name);
      at !== undefined && found.length < ancestorsMax;
      at = all.get(at.attributes['style:parent-style-name'] ?? '')
    )
      found.push(at)
    return found
  }
  return {
    text(name) {
      const said = (attribute: string) =>
        ancestry(name)
          .map((style) => child(style, 'text-properties')?.attributes[attribute])
          .find((value) => value !== undefined)
      const size = lengthOf(said('fo:font-size'))
      const weight = said('fo:font-weight')
      const font = said('style:font-name') ?? said('fo:font-family')
      return {
        ...(size !== undefined && { size }),
        ...(weight !== undefined && { isBold: weight === 'bold' || Number(weight) >= 600 }),
        ...(font !== undefined && { font }),
      }
    },
    bulletAt(list, level) {
      const style = lists.get(list)?.children.find(({ attributes }) => attributes['text:level'] === String(level + 1))
      if (style === undefined) return 'mark'
      if (style.name === 'list-level-style-number') return style.attributes['style:num-format'] ? 'number' : 'none'
      return style.name === 'list-level-style-bullet' && (style.attributes['text:bullet-char'] ?? '').trim() === '' ? 'none' : 'mark'
    },
    isHidden: (page) =>
      ancestry(page).some((style) =>
        descendants(style, 'drawing-page-properties').some(({ attributes }) => attributes['presentation:visibility'] === 'hidden'),
      ),
    sizeOf(master) {
      const layout = layouts.get(masters.get(master)?.attributes['style:page-layout-name'] ?? '')
      const { 'fo:page-width': width, 'fo:page-height': height } = child(layout, 'page-layout-properties')?.attributes ?? {}
      const size = { width: lengthOf(width) ?? 0, height: lengthOf(height) ?? 0 }
      return size.width > 0 && size.height > 0 ? size : sizeByDefault
    },
  }
}
