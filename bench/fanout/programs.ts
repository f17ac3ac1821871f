// The C programs of the fan-out bench, compiled where there is a compiler.
import { join } from 'node:path'
import { compileC } from '../compile-c.ts'

export interface Programs {
  sink: string
  raw: string
}

/** Null where there is no compiler. */
export function compile(folder: string): Programs | null {
  const make = (name: string) => compileC(join(import.meta.dirname, `${name}.c`), folder)
  const [sink, raw] = [make('sink'), make('raw')]
  return sink === null || raw === null ? null : { sink, raw }
}
