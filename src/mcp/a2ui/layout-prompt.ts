// What a model is given to propose a layout: fixed rules and the shape, which is made of words of ours alone. Nothing of the result, of
// a talk or of a person is in it, so there is nothing that could be told or that could give it orders. Pure.
import { layoutMax } from './layout.ts'
import type { Shape } from './part.ts'

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
