// Composes one A2UI 0.9 surface from parts of the basic catalogue: a flat list of components under one root, whose texts are
// values in the data model, bound by path. Texts are data and never become the name of a component or an action.
import { a2uiCatalog } from '../catalogue.ts'

export const componentsMax = 60
const bytesMax = 32_768
const textMax = 400
const version = 'v0.9'

type Bound = { path: string }
export type ContextValue = string | number | boolean | Bound

export type Action =
  | { event: { name: string; context: Readonly<Record<string, ContextValue>> } }
  | { functionCall: { call: 'openUrl'; args: { url: string }; returnType: 'void' } }

export interface Component {
  id: string
  component: 'Text' | 'Column' | 'Row' | 'Card' | 'Button' | 'Image' | 'Divider' | 'TextField'
  [member: string]: unknown
}

export interface Composer {
  text(value: string, variant?: 'h2' | 'h3' | 'h4' | 'body' | 'caption'): string
  image(url: string, description: string): string
  /** A field a person fills; its value is bound at the returned path. */
  field(label: string): { id: string; value: Bound }
  button(label: string, action: Action, isMain?: boolean): string
  row(...children: readonly string[]): string
  column(...children: readonly string[]): string
  card(child: string): string
  /** How many more components there is room for. */
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
  const add = (component: Component['component'], members: Record<string, unknown>): string => {
    const id = `c${components.length + 1}`
    components.push({ id, component, ...members })
    return id
  }
  const bind = (value: string): Bound => {
    const short = value.length > textMax ? `${value.slice(0, textMax - 1)}…` : value
    return { path: `/texts/${texts.push(short) - 1}` }
  }
  return {
    text: (value, variant = 'body') => add('Text', { text: bind(value), variant }),
    image: (url, description) => add('Image', { url: bind(url), description: bind(description), fit: 'contain', variant: 'smallFeature' }),
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
    room: () => componentsMax - 1 - components.length,
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
