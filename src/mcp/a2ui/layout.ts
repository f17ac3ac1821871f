// A layout that a model has proposed and `read-layout.ts` has let through: A2UI components that hold and arrange the parts of a shape.
// It has no words, values, addresses or actions of its own: those are in the parts, which the rules make. Pure.
import type { Part } from './part.ts'
import type { Composer } from './surface.ts'

/** Components a layout may add to those of the parts. */
export const layoutMax = 12
/** Characters of what a model writes. */
export const proposalMax = 8_192

type Look = Readonly<Partial<Record<'align' | 'justify' | 'direction', string | undefined>>>

/** Children are ids of boxes or names of parts; a tab's title is the name of a heading. */
export type Box = { id: string } & (
  | ({ component: 'Column' | 'Row' | 'List'; children: readonly string[] } & Look)
  | { component: 'Card'; child: string }
  | { component: 'Tabs'; tabs: readonly { title: string; child: string }[] }
  | { component: 'Divider'; axis?: string | undefined }
)

/** Another look of a part that is one text or button. */
export interface Style {
  id: string
  component: 'Text' | 'Button'
  variant: string
}

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
