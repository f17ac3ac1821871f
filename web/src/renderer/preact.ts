// What the room's build resolves `preact` to.
import type { Child, Description } from './description.ts'

export { createContext } from './hooks.ts'
export { Fragment, hydrate } from './tree.ts'

/** What JSX becomes in the room: after compression a list of arguments is smaller than a property named `children`. */
export function h(type: Description['type'], props: Description['props'] | null, ...children: readonly Child[]): Description {
  return { type, props: children.length > 0 ? { ...props, children } : { ...props }, key: props?.key }
}
