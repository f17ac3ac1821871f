// `node test/conformance/pap/main.ts <address of an MCP server>`: one line for each requirement; 1 where one is not met. PAP_TOKEN
// is the credential, PAP_SESSION a session that may get a test lead, PAP_QUESTION a question it answers.
import { runPapKit } from './kit.ts'
import { createPeer, registerAnonymous } from './peer.ts'

const [url] = process.argv.slice(2)
if (url === undefined) {
  console.error('Usage: node test/conformance/pap/main.ts <address of an MCP server>')
  process.exit(2)
}
const { PAP_TOKEN: token, PAP_SESSION: sessionId, PAP_QUESTION: question } = process.env
const peer = createPeer(url, token ?? (await registerAnonymous(url)))
const findings = await runPapKit({ peer, ...(sessionId && { sessionId }), ...(question && { question }) })
for (const { id, passed, skipped, words } of findings) {
  console.log(`${skipped ? 'skip' : passed ? 'ok  ' : 'FAIL'}  ${id.padEnd(7)} ${words}`)
}
process.exit(findings.every(({ passed }) => passed) ? 0 : 1)
