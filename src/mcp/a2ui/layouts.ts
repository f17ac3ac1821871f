// Layouts that a model has proposed, by shape: each shape is asked about once, the proposal is kept and serves every result of that
// shape. The rules lay out whatever has none: a caller waits a moment for a first proposal, never for one that is late, was refused or
// failed; one that comes late serves the next call.
import type { Clock } from '../../platform/clock.ts'
import { counter, type Gauges } from '../../platform/http/observe.ts'
import { type Layout, type LayoutFault, layoutMax, proposalMax, readLayout, type Shape } from './layout.ts'

/** What came of asking a model; the shape of what was spent is the model's. */
export interface Asked {
  /** Null: nothing came; `why` says what there was instead. */
  text: string | null
  /** `busy`, `circuit`: no model was called, and the shape is asked about again. */
  why: 'ended' | 'busy' | 'circuit' | 'failed' | 'too_large' | 'stopped'
  spent: object
}

/** One reply of at most so many characters. */
export type Ask = (prompt: LayoutPrompt, charactersMax: number, signal: AbortSignal) => Promise<Asked>

export type Verdict = 'kept' | LayoutFault | Exclude<Asked['why'], 'ended'>

export interface Layouts {
  /** Null: the rules lay it out. Waits at most `layoutTimes.waitMs`, never rejects. */
  layoutFor(shape: Shape): Promise<Layout | null>
  /** Values for `/metrics`: how often a model was asked, by what came of it. */
  gauges: Gauges
  /** Ends a call that is under way. */
  close(): void
}

export interface LayoutsDeps {
  clock: Clock
  ask: Ask
  /** Once for each time a model was called. */
  tell(report: { tool: string; verdict: Verdict; ms: number } & Asked['spent']): void
}

export const layoutTimes = {
  /** From the beginning of the call: what a caller waits for a first proposal. */
  waitMs: 2_000,
  callMs: 15_000,
  /** After a first failure of a shape; twice as long after each further one. */
  againMs: 600_000,
} as const

/** Shapes that are remembered, more than the rules make; beyond, no model is called. */
export const shapesMax = 512

interface Reply {
  layout?: Layout
  verdict: Verdict
  spent: object
}

type Known =
  | { state: 'asked'; until: number; coming: Promise<Layout | null> }
  | { state: 'kept'; layout: Layout }
  | { state: 'refused'; until: number; failures: number }

export function createLayouts({ clock, ask, tell }: LayoutsDeps): Layouts {
  const known = new Map<string, Known>()
  const counts = new Map<Verdict, number>()
  const closing = new AbortController()
  let isAsking = false

  async function asked(shape: Shape, signal: AbortSignal): Promise<Reply> {
    const { text, why, spent } = await ask(layoutPrompt(shape), proposalMax, signal)
    if (text === null) return { verdict: why === 'ended' ? 'failed' : why, spent }
    const { layout, fault } = readLayout(text, shape)
    return layout === undefined ? { verdict: fault, spent } : { layout, verdict: 'kept', spent }
  }

  async function propose(shape: Shape, failures: number): Promise<Layout | null> {
    const began = clock.now()
    const limit = new AbortController()
    const cancel = clock.after(layoutTimes.callMs, () => limit.abort())
    const signal = AbortSignal.any([limit.signal, closing.signal])
    const { layout, verdict, spent } = await asked(shape, signal).catch((): Reply => ({ verdict: 'failed', spent: {} }))
    cancel()
    isAsking = false
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
    const now = clock.now()
    if (verdict === 'busy' || verdict === 'circuit') {
      known.set(shape.words, { state: 'refused', until: now, failures })
      return null
    }
    tell({ tool: shape.tool, verdict, ms: now - began, ...spent })
    if (layout === undefined) {
      known.set(shape.words, { state: 'refused', until: now + layoutTimes.againMs * 2 ** failures, failures: failures + 1 })
      return null
    }
    known.set(shape.words, { state: 'kept', layout })
    return layout
  }

  /** What is coming, if it comes by `until`. */
  function inTime(coming: Promise<Layout | null>, until: number): Promise<Layout | null> {
    return new Promise((resolve) => {
      const cancel = clock.after(until - clock.now(), () => resolve(null))
      void coming.then((layout) => {
        cancel()
        resolve(layout)
      })
    })
  }

  return {
    async layoutFor(shape) {
      const found = known.get(shape.words)
      const now = clock.now()
      if (found?.state === 'kept') return found.layout
      if (found?.state === 'asked') return now < found.until ? inTime(found.coming, found.until) : null
      if (found === undefined ? known.size >= shapesMax : now < found.until) return null
      // One at a time: whoever asks a question of a talk comes first.
      if (isAsking || closing.signal.aborted) return null
      isAsking = true
      const until = now + layoutTimes.waitMs
      const coming = propose(shape, found?.failures ?? 0)
      known.set(shape.words, { state: 'asked', until, coming })
      return inTime(coming, until)
    },
    gauges: () => ({
      rostrum_layouts_total: counter('Layouts of surfaces that this process asked a model for, by what came of it.', 'verdict', counts),
    }),
    close: () => closing.abort(),
  }
}

// What a model is given to propose a layout: fixed rules and the shape, which is made of words of ours alone. Nothing of the result, of
// a talk or of a person is in it, so there is nothing that could be told or that could give it orders. Pure.

export interface LayoutPrompt {
  rules: string
  material: ''
  ask: string
  outputTokensMax: number
}

const rules = `You lay out one small screen that a person sees beside the answer of a service for automated presentations. Its contents exist already, as named parts. You decide how they are arranged: what comes first, what stands side by side, what belongs together.

Write one JSON array of A2UI 0.9 components and nothing else. At most ${layoutMax} of them, one with the id "root". You may use:
{"id":"root","component":"Column","children":["..."],"align":"start|center|end|stretch","justify":"start|center|end|spaceBetween|spaceAround|spaceEvenly|stretch"}
{"id":"a","component":"Row","children":["..."],"align":"...","justify":"..."}
{"id":"b","component":"List","children":["..."],"direction":"vertical|horizontal"}
{"id":"c","component":"Card","child":"..."}
{"id":"d","component":"Tabs","tabs":[{"title":"<name of a heading>","child":"..."},{"title":"<name of a heading>","child":"..."}]}
{"id":"e","component":"Divider"}
- Children are ids of your components or names of parts. Every part has exactly one place; headings alone may be left out, or be the title of a tab instead. A notice is never in a tab.
- A name of a part is never the id of a component that you add, with one exception: {"id":"<name of a text or heading>","component":"Text","variant":"h1|h2|h3|h4|h5|body|caption"} and {"id":"<name of a button>","component":"Button","variant":"primary|default|borderless"} change how that part looks.
- "align", "justify", "direction" may be left out. No other member, component, text or action is taken.
- What matters most comes first. Figures stand side by side, buttons too. At most one button is primary.`

const outputTokensMax = 800

export const layoutPrompt = ({ words }: Shape): LayoutPrompt => ({ rules, material: '', ask: words, outputTokensMax })
