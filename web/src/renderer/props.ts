// Properties of an element: events, and what a person changes, are set on the object; everything else is an attribute.
import type { Props } from './description.ts'

/** Where the attribute is only the first value of what the element holds. */
const held = /^(value|checked|selected|defaultValue)$/

export function setProps(dom: Element, props: Props, was: Props): void {
  for (const name in { ...was, ...props }) setProp(dom, name, props[name], was[name])
}

function setProp(dom: Element, name: string, value: unknown, was: unknown): void {
  // An element has whatever is set on it; that a name fits the element is checked where the JSX is.
  const object = dom as unknown as Record<string, unknown>
  if (name === 'ref') {
    if (value) Object.assign(value, { current: dom })
  } else if (held.test(name)) {
    if (value !== undefined && value !== object[name]) object[name] = value
  } else if (value === was || name === 'children' || name === 'key') {
    return
  } else if (name.startsWith('on')) {
    object[name.toLowerCase()] = value
  } else {
    const text = attribute(name, value as Attribute)
    if (text === null) dom.removeAttribute(name)
    else if (dom.getAttribute(name) !== text) dom.setAttribute(name, text)
  }
}

/** The types of JSX allow nothing else where it is not held and no event. */
type Attribute = string | number | boolean | null | undefined

/** `aria-` and `data-` say "false"; any other attribute of a yes or no is there or not. */
function attribute(name: string, value: Attribute): string | null {
  if (typeof value === 'boolean' && name[4] !== '-') return value ? '' : null
  return value === undefined || value === null ? null : String(value)
}
