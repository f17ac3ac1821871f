// The room's renderer: the part of Preact's interface that the room uses, at a quarter of its size (docs/decisions/011). A description
// says what should be in the page; a part is one description that stands there, with its node or its kids, and its hooks.
import type { Child, Component, Description } from './description.ts'
import { setProps } from './props.ts'

/** Returns what ends it, if anything does. */
// oxlint-disable-next-line no-invalid-void-type -- an effect is mostly a function that returns nothing
export type Effect = () => (() => void) | undefined | void

/** One hook of one component. */
export interface Slot {
  value?: unknown
  deps?: readonly unknown[] | undefined
  /** The effect that is due, and what ends the last one. */
  run?: Effect | undefined
  end?: ReturnType<Effect>
}

export interface Part {
  made: Description
  owner: Part | null
  /** The element in which its nodes stand. */
  host: Element
  /** Null for a component: its nodes are those of its kids, and it has at least one. */
  dom: Element | Text | null
  kids: readonly Part[]
  slots: Slot[]
  isGone: boolean
}

const nothing: Description = { type: '#text', props: { text: '' } }

let isHydrating = false
let drawing: Part
let slotsTaken = 0
const stale = new Set<Part>()
const effects: Slot[] = []

export const Fragment: Component = ({ children }) => children

/** The component that is being called; hooks belong to it. */
export const drawingPart = (): Part => drawing

/** The next hook of the component that is being called. */
export const nextSlot = (): Slot => (drawing.slots[slotsTaken++] ??= {})

/** Runs the effect of `slot` once the page is drawn. */
export const runLater = (slot: Slot): void => void effects.push(slot)

/** Draws a component again, with whatever else asks for it before the running task ends. */
export function redraw(part: Part): void {
  if (part.isGone) return
  stale.add(part)
  queueMicrotask(drawStale)
}

/** Takes over what the server drew in `host`: nodes that fit stay, so that nothing is fetched, moved or typed twice. */
export function hydrate(child: Child, host: Element): void {
  isHydrating = true
  drawKids(standIn(null, host, host), [child], host, null)
  isHydrating = false
  runEffects()
}

function drawStale(): void {
  for (const part of stale) draw(part, part.made, part.host, nodeAt(part, -1).nextSibling)
  runEffects()
}

function runEffects(): void {
  for (const slot of effects.splice(0)) {
    slot.end?.()
    slot.end = slot.run?.()
  }
}

function standIn(owner: Part | null, host: Element, dom: Element | null): Part {
  return { made: nothing, owner, host, dom, kids: [], slots: [], isGone: false }
}

/** What is not drawn (null, false) is an empty text, so that every part has a place in the page. */
function describe(child: Child): Description {
  if (child === undefined || child === null || typeof child === 'boolean') return nothing
  if (typeof child !== 'object') return { type: '#text', props: { text: String(child) } }
  return 'type' in child ? child : { type: Fragment, props: { children: child } }
}

/** At least one, so that a component without children has its place too. */
function listed(children: Child): readonly Child[] {
  const list = [children].flat() as readonly Child[]
  return list.length > 0 ? list : [null]
}

/** Brings `part` into the page as `made`, in `host`, before the node `before`. */
function draw(part: Part, made: Description, host: Element, before: Node | null): void {
  const { type, props } = made
  const was = part.made
  part.made = made
  part.host = host
  if (typeof type === 'function') {
    stale.delete(part)
    drawing = part
    slotsTaken = 0
    return drawKids(part, listed(type(props)), host, before)
  }
  const dom = (part.dom ??= found(made, host, before) ?? created(type, host))
  if (dom instanceof Text) {
    if (dom.data !== props.text) dom.data = String(props.text)
  } else {
    setProps(dom, props, was.props)
    drawKids(part, props.children === undefined ? [] : listed(props.children), dom, null)
  }
  if (dom.parentNode !== host) host.insertBefore(dom, before)
  else if (dom.nextSibling !== before) move(dom, host, before)
}

/** Keeps focus and scrolling where the browser can. */
function move(dom: Element | Text, host: Element, before: Node | null): void {
  if ('moveBefore' in host) host.moveBefore(dom, before)
  else (host as Element).insertBefore(dom, before)
}

/** From the last to the first, so that each finds its follower in place. A kid is the one before with its key, or its place, and its type. */
function drawKids(part: Part, children: readonly Child[], host: Element, before: Node | null): void {
  const known = new Map(part.kids.map((kid, at) => [kid.made.key ?? at, kid]))
  const next = children.map((child, at) => {
    const made = describe(child)
    const key = made.key ?? at
    const kid = known.get(key)
    if (kid?.made.type !== made.type) return [standIn(part, host, null), made] as const
    known.delete(key)
    return [kid, made] as const
  })
  for (const kid of known.values()) remove(kid)
  part.kids = next.map(([kid]) => kid)
  for (const [kid, made] of next.toReversed()) {
    draw(kid, made, host, before)
    before = nodeAt(kid, 0)
  }
  // What the server drew and nobody took.
  while (isHydrating && part.dom && before?.previousSibling) before.previousSibling.remove()
}

/** What the server drew in this place, where it is of the same kind. */
function found({ type, props }: Description, host: Element, before: Node | null): Element | Text | undefined {
  const node = isHydrating && props.text !== '' && (before ? before.previousSibling : host.lastChild)
  return node && node.nodeName.toLowerCase() === type ? (node as Element | Text) : undefined
}

function created(type: string, host: Element): Element | Text {
  if (type === '#text') return new Text()
  return document.createElementNS(type === 'svg' ? 'http://www.w3.org/2000/svg' : host.namespaceURI, type)
}

/** The first (0) or the last (-1) node of a part. */
function nodeAt(part: Part, end: 0 | -1): Node {
  const kid = part.kids.at(end)
  return part.dom ?? (kid === undefined ? part.host : nodeAt(kid, end))
}

function remove(part: Part): void {
  end(part)
  clear(part)
}

/** Effects end while the nodes are still in the page: a dialog gives the focus back only then. */
function end(part: Part): void {
  part.isGone = true
  stale.delete(part)
  if (part.made.props.ref) Object.assign(part.made.props.ref, { current: null })
  for (const slot of part.slots) {
    slot.run = undefined
    slot.end?.()
  }
  part.kids.forEach(end)
}

function clear({ dom, kids }: Part): void {
  if (dom) dom.remove()
  else kids.forEach(clear)
}
