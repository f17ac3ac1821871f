// The parts of a surface: what the rules have made of the data, each under a name of ours, and the shape they have together. A shape
// says which parts there are and never what they hold, so that a layout made for it fits every result of that shape, and a model that
// proposes one is told nothing of anybody (docs/decisions/016).

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
