// The command line: `rostrum <command>`. Everything a command needs is loaded when it runs.
import { runCommandLine } from './cli/run.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
})
