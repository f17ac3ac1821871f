// Compiles by rule: what is short at once, what is long in a thread of its own.
import { ServiceError } from '@rostrum/base/errors'
import { ThreadLate, type Threads } from '@rostrum/base/work'
import type { Reading } from '@rostrum/deck/block'
import type { Script, ScriptInput, ScriptSlide } from './beat.ts'
import { compilerVersion, compileScript } from './compile.ts'

/** What makes a script; `app.ts` joins the rule-made one or a model. */
export interface ScriptCompiler {
  /** Raised when the same deck would be told differently. */
  version: string
  compile(input: ScriptInput): Promise<Script>
}

const thread = new URL('compile-thread.ts', import.meta.url)
/** Some 20 ms of work, and less than a thread takes to start. */
const shortMost = 8_000

const charsOf = ({ slides, passages = [] }: ScriptInput): number =>
  passages.reduce((sum, { content }) => sum + content.length, 0) +
  slides.reduce((sum, { title, text, agentNotes = '' }) => sum + title.length + text.length + agentNotes.length, 0)

/** Its version is raised with the rules, so that stored scripts are made anew. */
export function createCompiler(threads: Threads): ScriptCompiler {
  return {
    version: `rules-${compilerVersion}`,
    async compile(input) {
      if (charsOf(input) <= shortMost) return compileScript(input)
      // The thread posts what `compileScript` returns.
      return (await threads.run(thread, packed(input)).catch(tooBusy)) as Script
    },
  }
}

function tooBusy(error: unknown): never {
  if (!(error instanceof ThreadLate)) throw error
  const words = 'The words of this talk are still being made; the server has much else to do. Try again in a few seconds.'
  throw Object.assign(new ServiceError('temporarily_unavailable', words, { headers: { 'Retry-After': '5' } }), { cause: error })
}

// A slide on its way to the compiler: its blocks stay the JSON they are stored as until somebody reads them, since the thread of a
// long script is given a copy, and a copy of a hundred thousand small objects holds the server longer than reading them there.

const ofReading = ['blocks', 'isTitleSure', 'titleFrom'] as const

export type PackedSlide = Omit<ScriptSlide, (typeof ofReading)[number]> & { reading: string }

export function unpacked(slide: PackedSlide): ScriptSlide {
  let parsed: Reading | undefined
  // Only our own JSON is ever written to the column.
  const read = () => (parsed ??= JSON.parse(slide.reading) as Reading)
  return {
    ...slide,
    get blocks() {
      return read().blocks
    },
    get isTitleSure() {
      return read().isTitleSure
    },
    get titleFrom() {
      return read().titleFrom
    },
  }
}

/** What can be copied to a thread; what is read from its JSON is not touched where a slide has it. */
function packed(input: ScriptInput): object {
  return {
    ...input,
    slides: input.slides.map((slide) => {
      if (!('reading' in slide)) return slide
      const copy: Partial<Record<string, unknown>> = {}
      const isOfReading = (name: string) => ofReading.some((part) => part === name)
      for (const name of Object.keys(slide)) if (!isOfReading(name)) copy[name] = slide[name as keyof ScriptSlide]
      return copy
    }),
  }
}

export function unpackedInput(input: Omit<ScriptInput, 'slides'> & { slides: readonly (PackedSlide | ScriptSlide)[] }): ScriptInput {
  return { ...input, slides: input.slides.map((slide) => ('reading' in slide ? unpacked(slide) : slide)) }
}
