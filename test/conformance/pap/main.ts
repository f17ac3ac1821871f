// `node test/conformance/pap/main.ts <address>` of an MCP server, or of the site that names it: one line for each requirement; 1 where
// one is not met, or where the server cannot be asked. PAP_TOKEN is the credential, PAP_SESSION a session that may get a test lead,
// PAP_QUESTION a question it answers.
import type { Finding } from './kit.ts'
import { runPapKit } from './kit.ts'
import { createPeer, endpointOf, registerAnonymous } from './peer.ts'

const [address] = process.argv.slice(2)
if (address === undefined) {
  console.error('Usage: node test/conformance/pap/main.ts <address of an MCP server>')
  process.exit(2)
}

async function check(address: string): Promise<readonly Finding[]> {
  const { PAP_TOKEN: token, PAP_SESSION: sessionId, PAP_QUESTION: question } = process.env
  const url = await endpointOf(address)
  const peer = createPeer(url, token ?? (await registerAnonymous(url)))
  return runPapKit({ peer, ...(sessionId && { sessionId }), ...(question && { question }) })
}

/** A failed fetch says why only in its cause. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${address ?? ''} cannot be reached: ${error.cause.message}` : error.message
}

try {
  const findings = await check(address)
  for (const { id, passed, skipped, words } of findings) {
    console.log(`${skipped ? 'skip' : passed ? 'ok  ' : 'FAIL'}  ${id.padEnd(7)} ${words}`.trimEnd())
  }
  const met = findings.filter(({ passed, skipped }) => passed && skipped !== true).length
  console.log(`${met} of ${findings.length} met, ${findings.filter(({ skipped }) => skipped === true).length} not checked`)
  process.exitCode = findings.every(({ passed }) => passed) ? 0 : 1
} catch (error) {
  console.error(wordsOf(error))
  process.exitCode = 1
}
