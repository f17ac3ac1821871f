// `rostrum mcp`: the tool protocol on standard input and output; everything else goes to standard error.
import type { Run } from './command.ts'
import { createLog } from './log.ts'

export const run: Run = async ({ config: read, text }) => {
  const config = read()
  const [{ serveStdio }, log] = await Promise.all([import('../serve-stdio.ts'), createLog(config.log)])
  return serveStdio(config, { log, url: text('url') ?? config.url ?? undefined })
}
