// The command line: `rostrum <command>`. Compiled code is kept between starts, types already stripped, so everything else is
// imported after the cache is on.
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { runCommandLine } = await import('./cli/run.ts')

const exitCode = await runCommandLine(process.argv.slice(2), {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
})
// The command has closed what it opened; a timer that somebody forgot must not keep a script waiting.
process.exit(exitCode)
