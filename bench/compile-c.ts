// What takes part in a bench and should take little of the machine is written in C.
import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'

/** Said where there is no compiler. */
export const noCompiler = 'there is no C compiler (cc) here, and the yardstick and the attendees are written in C'

/** The path of the program that `source` makes, in `folder`; null where there is no compiler. */
export function compileC(source: string, folder: string): string | null {
  const out = join(folder, basename(source, '.c'))
  try {
    execFileSync('cc', ['-O2', '-D_GNU_SOURCE', '-o', out, source], { stdio: 'ignore' })
    return out
  } catch {
    return null
  }
}
