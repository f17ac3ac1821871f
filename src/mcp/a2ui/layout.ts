// The parts of a surface: what the rules have made of the data, each under a name of ours, and the shape they have together. A shape
// says which parts there are and never what they hold, so that a layout made for it fits every result of that shape, and a model that
// proposes one is told nothing of anybody (docs/decisions/016).
import { z } from 'zod'
import type { Composer } from './surface.ts'

/**
 * `heading` may be left out, or name a tab; every other part is shown. `notice` is always in sight, never in a tab. `group`: components
 * that belong together.
 */
export type PartKind = 'heading' | 'text' | 'notice' | 'figure' | 'list' | 'button' | 'group'

export interface Part {
  /** A constant of the rules, never a word of the data. */
  name: string
  kind: PartKind
  /** Its outermost components, one or more; several stand one after the other. */
  ids: readonly string[]
}

/** In the order of the rules; the parts of an inner list stand side by side. */
export type Arrangement = readonly (Part | readonly Part[])[]

export interface Shape {
  tool: string
  parts: ReadonlyMap<string, { kind: PartKind; isSeveral: boolean }>
  /** One line for each part: equal for equal shapes, and all that a model is told. */
  words: string
}

export const part = (kind: PartKind, name: string, ...ids: readonly string[]): Part => ({ name, kind, ids })

function howMany({ kind, ids }: Part): string {
  if (kind !== 'list') return ''
  return ids.length === 1 ? ' of 1' : ids.length < 5 ? ' of 2 to 4' : ' of 5 or more'
}

export function shapeOf(tool: string, arrangement: Arrangement): Shape {
  const parts = arrangement.flat()
  const lines = parts.map((each) => `- ${each.name}: ${each.kind}${howMany(each)}`)
  return {
    tool,
    parts: new Map(parts.map(({ name, kind, ids }) => [name, { kind, isSeveral: ids.length > 1 }])),
    words: [`Result of ${tool}.`, ...lines].join('\n'),
  }
}

// A layout that a model has proposed: A2UI components that hold and arrange the parts of a shape. It has no words, values, addresses or
// actions of its own: those are in the parts, which the rules make.

/** Components a layout may add to those of the parts. */
export const layoutMax = 12
/** Characters of what a model writes. */
export const proposalMax = 8_192

const id = z.string().min(1).max(40)
const children = z.array(id).min(1).max(30)
const align = z.enum(['start', 'center', 'end', 'stretch']).optional()
const justify = z.enum(['start', 'center', 'end', 'spaceBetween', 'spaceAround', 'spaceEvenly', 'stretch']).optional()

/** The part of the basic catalogue that arranges, and of Text and Button what changes the look of a part. */
const component = z.discriminatedUnion('component', [
  z.strictObject({ id, component: z.literal('Column'), children, align, justify }),
  z.strictObject({ id, component: z.literal('Row'), children, align, justify }),
  z.strictObject({ id, component: z.literal('List'), children, align, direction: z.enum(['vertical', 'horizontal']).optional() }),
  z.strictObject({ id, component: z.literal('Card'), child: id }),
  z.strictObject({
    id,
    component: z.literal('Tabs'),
    tabs: z
      .array(z.strictObject({ title: id, child: id }))
      .min(2)
      .max(6),
  }),
  z.strictObject({ id, component: z.literal('Divider'), axis: z.enum(['horizontal', 'vertical']).optional() }),
  z.strictObject({ id, component: z.literal('Text'), variant: z.enum(['h1', 'h2', 'h3', 'h4', 'h5', 'body', 'caption']) }),
  z.strictObject({ id, component: z.literal('Button'), variant: z.enum(['default', 'primary', 'borderless']) }),
])
const proposal = z.array(component).min(1).max(60)

type Proposed = z.output<typeof component>
/** Another look of a part that is one text or button. */
type Style = Extract<Proposed, { component: 'Text' | 'Button' }>
/** Children are ids of boxes or names of parts; a tab's title is the name of a heading. */
type Box = Exclude<Proposed, Style>

export interface Layout {
  /** By id; one is `root`. Each is reached from it once, as are the parts. */
  boxes: ReadonlyMap<string, Box>
  styles: readonly Style[]
}

/** The component that holds everything; `layout` was read for the shape of these very parts. */
export function arrange(surface: Composer, parts: readonly Part[], { boxes, styles }: Layout): string {
  const idsOf = new Map(parts.map(({ name, ids }) => [name, ids]))
  const placed = new Set<string>()
  const place = (name: string): readonly string[] => {
    placed.add(name)
    const box = boxes.get(name)
    return box === undefined ? (idsOf.get(name) ?? []) : [build(box)]
  }
  const one = (name: string): string => {
    const ids = place(name)
    const [first] = ids
    return ids.length === 1 && first !== undefined ? first : surface.column(...ids)
  }
  const titleOf = (name: string) => surface.wordsOf(idsOf.get(name)?.[0] ?? '') ?? ''
  const build = (box: Box): string => {
    switch (box.component) {
      case 'Card':
        return surface.card(one(box.child))
      case 'Tabs':
        return surface.box('Tabs', { tabs: box.tabs.map(({ title, child }) => ({ title: titleOf(title), child: one(child) })) })
      case 'Divider': {
        const { id: _, component: name, ...members } = box
        return surface.box(name, members)
      }
      default: {
        const { id: _, component: name, children: inside, ...members } = box
        return surface.box(name, { ...members, children: inside.flatMap(place) })
      }
    }
  }
  for (const { id: name, variant } of styles) for (const each of idsOf.get(name) ?? []) surface.style(each, variant)
  const [root = ''] = place('root')
  for (const { name, ids } of parts) if (!placed.has(name)) surface.drop(ids)
  return root
}

// Reads what a model has written for a layout: text that may be anything. What is not wholly a layout of exactly the parts of the
// shape, in components of the basic catalogue, is refused.

export type LayoutFault =
  | 'too_large'
  | 'no_json'
  | 'not_in_catalogue'
  | 'id_twice'
  | 'no_root'
  | 'unknown_id'
  | 'placed_twice'
  | 'not_placed'
  | 'hidden'
  | 'no_heading'
  | 'wrong_style'

type ReadLayout = { layout: Layout; fault?: never } | { layout?: never; fault: LayoutFault }

const isStyle = (each: Proposed): each is Style => each.component === 'Text' || each.component === 'Button'

/** The JSON array in what a model wrote; models like to fence it. */
function arrayIn(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf('['), text.lastIndexOf(']') + 1))
  } catch {
    return undefined
  }
}

export function readLayout(text: string, { parts }: Shape): ReadLayout {
  if (text.length > proposalMax) return { fault: 'too_large' }
  const json = arrayIn(text)
  if (json === undefined) return { fault: 'no_json' }
  const parsed = proposal.safeParse(json)
  if (!parsed.success) return { fault: 'not_in_catalogue' }
  const styles = parsed.data.filter(isStyle)
  const boxes = new Map<string, Box>()
  for (const each of parsed.data) {
    if (isStyle(each)) continue
    if (boxes.has(each.id) || parts.has(each.id)) return { fault: 'id_twice' }
    boxes.set(each.id, each)
  }
  if (!boxes.has('root')) return { fault: 'no_root' }
  const layout = { boxes, styles }
  const fault = styleFault(layout, parts) ?? placingFault(layout, parts)
  return fault === undefined ? { layout } : { fault }
}

function styleFault({ styles }: Layout, parts: Shape['parts']): LayoutFault | undefined {
  if (new Set(styles.map((style) => style.id)).size < styles.length) return 'id_twice'
  const fits = (style: Layout['styles'][number]) => {
    const kind = parts.get(style.id)?.kind
    return style.component === 'Button' ? kind === 'button' : kind === 'text' || kind === 'heading'
  }
  return styles.every(fits) ? undefined : 'wrong_style'
}

/** Each box and each part has one place under the root: so there is no cycle, and nothing shown is lost. */
function placingFault({ boxes }: Layout, parts: Shape['parts']): LayoutFault | undefined {
  const placed = new Set<string>()
  const titles: string[] = []
  let wraps = 0
  const place = (name: string, isInTab: boolean): LayoutFault | undefined => {
    if (placed.has(name)) return 'placed_twice'
    placed.add(name)
    const box = boxes.get(name)
    if (box === undefined) {
      const kind = parts.get(name)?.kind
      if (kind === undefined) return 'unknown_id'
      return kind === 'notice' && isInTab ? 'hidden' : undefined
    }
    titles.push(...titlesOf(box))
    const inside = childrenOf(box)
    if (holdsOne(box)) wraps += inside.filter((child) => parts.get(child)?.isSeveral).length
    for (const child of inside) {
      const fault = place(child, isInTab || box.component === 'Tabs')
      if (fault !== undefined) return fault
    }
    return undefined
  }
  const fault = place('root', false)
  if (fault !== undefined) return fault
  if (boxes.size + wraps > layoutMax) return 'too_large'
  if (titles.some((title) => parts.get(title)?.kind !== 'heading')) return 'no_heading'
  if (new Set(titles).size < titles.length || titles.some((title) => placed.has(title))) return 'placed_twice'
  const isLeft = [...boxes.keys()].some((name) => !placed.has(name))
  const isMissing = [...parts].some(([name, { kind }]) => kind !== 'heading' && !placed.has(name))
  return isLeft || isMissing ? 'not_placed' : undefined
}

const holdsOne = (box: Box): boolean => box.component === 'Card' || box.component === 'Tabs'
const titlesOf = (box: Box): readonly string[] => (box.component === 'Tabs' ? box.tabs.map(({ title }) => title) : [])

function childrenOf(box: Box): readonly string[] {
  switch (box.component) {
    case 'Card':
      return [box.child]
    case 'Tabs':
      return box.tabs.map(({ child }) => child)
    case 'Divider':
      return []
    default:
      return box.children
  }
}
