// Compiles by rule: what is short at once, what is long in a thread of its own.
import type { Threads } from '../../../platform/work.ts'
import type { ScriptCompiler } from '../scripts.ts'
import type { Script, ScriptInput } from './beat.ts'
import { compilerVersion, compileScript } from './compile.ts'
import { packed } from './packed-slide.ts'

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
      return (await threads.run(thread, packed(input))) as Script
    },
  }
}
