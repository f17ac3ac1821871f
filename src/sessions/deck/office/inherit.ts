// What a shape on a slide takes from its layout and its master (ECMA-376 part 1, 19.3.1.36 and 21.1.2): the kind of its
// placeholder, its place, bullets and sizes.
import { child, descendants, type Element } from './xml.ts'

export interface Looks {
  bullet: 'none' | 'mark' | 'number'
  /** Points. */
  size: number
  isBold: boolean
  font: string
}

/** A slide with what is below it. */
export interface Layers {
  layout?: Element | undefined
  master?: Element | undefined
  /** `p:defaultTextStyle` of the presentation. */
  defaults?: Element | undefined
}

export interface Chain {
  /** `title`, `body`, `sldNum` and so on; undefined for a shape that is no placeholder. */
  placeholder: string | undefined
  /** The shape itself first, then those that it inherits from. */
  shapes: readonly Element[]
  /** `p:titleStyle`, `p:bodyStyle` or `p:otherStyle` of the master, or the defaults. */
  style: Element | undefined
}

const sizeByDefault = 18
const textual = new Set(['body', 'obj', 'subTitle'])

export function placeholderOf(shape: Element): Element | undefined {
  const properties = shape.children.find(({ name }) => /^nv\p{L}+Pr$/u.test(name))
  return child(properties, 'nvPr', 'ph')
}

export function chainOf(shape: Element, { layout, master, defaults }: Layers): Chain {
  const own = placeholderOf(shape)
  if (own === undefined) return { placeholder: undefined, shapes: [shape], style: defaults ?? child(master, 'txStyles', 'otherStyle') }
  const inLayout = findPlaceholder(layout, own)
  const said = own.attributes['type'] ?? (inLayout && placeholderOf(inLayout)?.attributes['type']) ?? 'obj'
  const inMaster = findPlaceholder(master, inLayout === undefined ? own : (placeholderOf(inLayout) ?? own), baseOf(said))
  const isTitle = said === 'title' || said === 'ctrTitle'
  const style = isTitle ? 'titleStyle' : textual.has(said) ? 'bodyStyle' : 'otherStyle'
  return {
    placeholder: said,
    shapes: [shape, inLayout, inMaster].filter((each) => each !== undefined),
    style: child(master, 'txStyles', style),
  }
}

/** The placeholder of a master that others are made from. */
function baseOf(type: string): string {
  if (type === 'ctrTitle') return 'title'
  return textual.has(type) ? 'body' : type
}

function findPlaceholder(layer: Element | undefined, { attributes }: Element, base?: string): Element | undefined {
  const shapes = descendants(child(layer, 'cSld', 'spTree'), 'sp').filter((shape) => placeholderOf(shape) !== undefined)
  const find = (is: (held: Readonly<Record<string, string>>) => boolean) =>
    shapes.find((shape) => is(placeholderOf(shape)?.attributes ?? {}))
  if (base !== undefined) return find(({ type }) => baseOf(type ?? 'obj') === base)
  const isTitle = (type: string | undefined) => type === 'title' || type === 'ctrTitle'
  return (
    (isTitle(attributes['type']) ? find(({ type }) => isTitle(type)) : undefined) ??
    find(({ idx, type }) => idx === attributes['idx'] && (attributes['type'] === undefined || type === attributes['type'])) ??
    find(({ type }) => type !== undefined && type === attributes['type'])
  )
}

/** Of a paragraph at that level, from the nearest that says it. `own`: its `a:pPr`. */
export function looksAt(level: number, own: Element | undefined, { shapes, style }: Chain): Looks {
  const name = `lvl${level + 1}pPr`
  const layers = [own, ...shapes.map((shape) => child(shape, 'txBody', 'lstStyle', name)), child(style, name)].filter(
    (each) => each !== undefined,
  )
  const said = (attribute: string) =>
    layers.map((layer) => child(layer, 'defRPr')?.attributes[attribute]).find((value) => value !== undefined)
  const font = layers.map((layer) => child(layer, 'defRPr', 'latin')?.attributes['typeface']).find((value) => value !== undefined)
  return {
    bullet: layers.map(bulletOf).find((bullet) => bullet !== undefined) ?? 'none',
    size: Number(said('sz') ?? sizeByDefault * 100) / 100 || sizeByDefault,
    isBold: isOn(said('b')),
    font: font ?? '',
  }
}

export const isOn = (value: string | undefined) => value === '1' || value === 'true' || value === 'on'

function bulletOf(properties: Element): Looks['bullet'] | undefined {
  for (const { name } of properties.children) {
    if (name === 'buNone') return 'none'
    if (name === 'buChar' || name === 'buBlip') return 'mark'
    if (name === 'buAutoNum') return 'number'
  }
  return undefined
}
