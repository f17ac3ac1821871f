// The tool protocol on standard input and output (spec 4.5): one connection, both eras, protocol lines alone on the output.
import type { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

export interface StdioOptions {
  build: () => Server
  /** Out-of-band trouble: for the log, never for the wire. */
  onError: (error: Error) => void
}

/** Speaks until standard input ends; what is still running then is aborted and not answered. */
export async function speakOnStdio({ build, onError }: StdioOptions): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', () => resolve())
    process.stdin.once('close', () => resolve())
  })
  const connection = serveStdio(build, { onerror: onError })
  await ended
  await connection.close()
}
