// kill -9 among mails: each that was promised arrives, and only what was being handed over at a kill arrives again.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { kills, onBothStores, promisesOf } from '../support/kills.ts'
import { openSmtpServer } from '../support/smtp-server.ts'

const program = fileURLToPath(new URL('mailing.ts', import.meta.url))
/** Jobs of a process at once. */
const runningMax = 8

const promises = (where: string, port: number, from: string, most: number) =>
  promisesOf(program, [where, String(port), from], 'mail ', most)

onBothStores('kill -9 among mails loses none and repeats only what was being handed over', async (where, store, t) => {
  await store.close()
  const server = await openSmtpServer()
  try {
    const promised: string[] = []
    for (let round = 0; round < kills; round++)
      promised.push(...(await promises(where, server.port, String(round * 1_000_000), 5 + ((round * 7) % 20))))
    await promises(where, server.port, 'drain', Number.POSITIVE_INFINITY)
    const seen = new Map<string, Set<string>>()
    for (const { headers } of server.mails) {
      const subject = headers.get('subject') ?? ''
      seen.set(subject, (seen.get(subject) ?? new Set()).add(headers.get('message-id') ?? ''))
    }
    const repeats = server.mails.length - seen.size
    t.diagnostic(`${kills} kills, ${promised.length} mails promised, ${seen.size} arrived, ${repeats} repeats`)
    assert.deepEqual(
      promised.filter((subject) => !seen.has(subject)),
      [],
    )
    assert.ok(repeats <= kills * runningMax, `${repeats} repeats`)
    for (const ids of seen.values()) assert.equal(ids.size, 1, 'a repeat has the id of the first')
  } finally {
    await server.close()
  }
})
