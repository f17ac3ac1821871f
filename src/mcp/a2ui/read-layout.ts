// Reads what a model has written for a layout: text that may be anything. What is not wholly a layout of exactly the parts of the
// shape, in components of the basic catalogue, is refused. Pure.
import { z } from 'zod'
import type { Box, Layout } from './layout.ts'
import { layoutMax, proposalMax } from './layout.ts'
import type { Shape } from './part.ts'

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
type Look = Extract<Proposed, { component: 'Text' | 'Button' }>

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

const isStyle = (each: Proposed): each is Look => each.component === 'Text' || each.component === 'Button'

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
