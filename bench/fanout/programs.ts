// The C programs of the fan-out bench, compiled where there is a compiler.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

export interface Programs {
  sink: string
  raw: string
}

/** Said where there is none. */
export const noCompiler = 'there is no C compiler (cc) here, and the yardstick and the attendees are written in C'

/** Null where there is no compiler. */
export function compile(folder: string): Programs | null {
  try {
    const make = (name: string) => {
      const out = join(folder, name)
      execFileSync('cc', ['-O2', '-o', out, join(import.meta.dirname, `${name}.c`)], { stdio: 'ignore' })
      return out
    }
    return { sink: make('sink'), raw: make('raw') }
  } catch {
    return null
  }
}
