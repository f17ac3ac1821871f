// Composes one A2UI 0.9 surface from parts of the basic catalogue: a flat list of components under one root, whose texts are
// values in the data model, bound by path. Texts are data and never become the name of a component or an action.
import { a2uiCatalog } from '../catalogue.ts'

export const componentsMax = 60
export const bytesMax = 32_768
/** Kept for what a composer still adds after it has asked for room. */
const reserveBytes = 8_192
const textMax = 400
const version = 'v0.9'

type Bound = { path: string }
export type ContextValue = string | number | boolean | Bound

export type Action =
  | { event: { name: string; context: Readonly<Record<string, ContextValue>> } }
  | { functionCall: { call: 'openUrl'; args: { url: string }; returnType: 'void' } }

export interface Component {
  id: string
  component: 'Text' | 'Column' | 'Row' | 'Card' | 'Button' | 'Image' | 'TextField'
  [member: string]: unknown
}

export interface Composer {
  /** Longer than `max` characters is cut. */
  text(value: string, variant?: 'h2' | 'h3' | 'h4' | 'body' | 'caption', max?: number): string
  /** `url` is not cut: ask for room where it may be long. */
  image(url: string, description: string): string
  /** A field a person fills; its value is bound at the returned path. */
  field(label: string): { id: string; value: Bound }
  button(label: string, action: Action, isMain?: boolean): string
  row(...children: readonly string[]): string
  column(...children: readonly string[]): string
  card(child: string): string
  /** How many more components there is room for; none once the messages are nearly as large as they may be. */
  room(): number
  /** The messages that make the surface, or undefined where it would be too large. */
  finish(surfaceId: string, children: readonly string[]): string | undefined
}

/** A tool of ours as an action: its name and its arguments come back in an ordinary call. */
export function toolAction(name: string, context: Readonly<Record<string, ContextValue>>): Action {
  return { event: { name, context } }
}

export function linkAction(url: string): Action {
  return { functionCall: { call: 'openUrl', args: { url }, returnType: 'void' } }
}

export function createComposer(): Composer {
  const components: Component[] = []
  const texts: string[] = []
  const inputs: Record<string, string> = {}
  let bytes = 0
  let last = 0
  const add = (component: Component['component'], members: Readonly<Record<string, unknown>>): string => {
    const id = `c${++last}`
    const made = { id, component, ...members }
    components.push(made)
    bytes += Buffer.byteLength(JSON.stringify(made))
    return id
  }
  const bind = (value: string, max = textMax): Bound => {
    const short = value.length > max ? `${value.slice(0, max - 1).toWellFormed()}…` : value
    bytes += Buffer.byteLength(JSON.stringify(short))
    return { path: `/texts/${texts.push(short) - 1}` }
  }
  return {
    text: (value, variant = 'body', max = textMax) => add('Text', { text: bind(value, max), variant }),
    image: (url, description) =>
      add('Image', { url: bind(url, Infinity), description: bind(description), fit: 'contain', variant: 'smallFeature' }),
    field(label) {
      const value = { path: `/inputs/${label}` }
      inputs[label] = ''
      return { id: add('TextField', { label, value, variant: 'shortText' }), value }
    },
    button(label, action, isMain = false) {
      const child = add('Text', { text: bind(label) })
      return add('Button', { child, action, variant: isMain ? 'primary' : 'default' })
    },
    row: (...children) => add('Row', { children, align: 'center', justify: 'start' }),
    column: (...children) => add('Column', { children }),
    card: (child) => add('Card', { child }),
    room: () => (bytes > bytesMax - reserveBytes ? 0 : componentsMax - 1 - components.length),
    finish(surfaceId, children) {
      const root: Component = { id: 'root', component: 'Column', children }
      const messages = [
        { version, createSurface: { surfaceId, catalogId: a2uiCatalog } },
        { version, updateComponents: { surfaceId, components: [root, ...components] } },
        { version, updateDataModel: { surfaceId, path: '/', value: { texts, inputs } } },
      ]
      const text = JSON.stringify(messages)
      return components.length < componentsMax && Buffer.byteLength(text) <= bytesMax ? text : undefined
    },
  }
}
