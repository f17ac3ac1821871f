// kill -9 in the middle of a burst (Spec 6): every event that was promised arrives, and only what was in flight at a kill arrives
// again, once for each.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Store } from '../../server/platform/db/store.ts'
import { eventually } from '../support/clock.ts'
import { kills, onBothStores, promisesOf } from '../support/kills.ts'
import { listenLocally } from '../support/outbound.ts'
import { prepare } from './prepare.ts'

const program = fileURLToPath(new URL('dispatching.ts', import.meta.url))
/** Twice the slots of the process: attempts on the wire, and ends that it has not written yet. */
const inFlightMax = 2 * 32

const promises = (where: string, from: string, most: number) => promisesOf(program, [where, from], 'msg_', most)

/** Of these events, those whose delivery the store does not hold as done. */
async function notDone(store: Store, ids: ReadonlySet<string>): Promise<number> {
  const rows = await store.read.selectFrom('webhook_deliveries').select('event_id').where('status', '=', 'succeeded').execute()
  const done = new Set(rows.map((row) => row.event_id))
  return [...ids].filter((id) => !done.has(id)).length
}

async function failures(store: Store): Promise<number> {
  const rows = await store.read.selectFrom('webhook_attempts').select('n').where('outcome', '=', 'failed').execute()
  return rows.length
}

onBothStores('kill -9 in a burst loses nothing and repeats only what was in flight', async (where, store, t) => {
  const seen = new Map<string, number>()
  const seenInThisLife = new Set<string>()
  const open = new Set<Socket>()
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    seen.set(id, (seen.get(id) ?? 0) + 1)
    seenInThisLife.add(id)
    request.resume().once('end', () => void response.writeHead(204).end())
  })
  server.on('connection', (socket) => void open.add(socket.once('close', () => open.delete(socket))))
  const sink = await listenLocally(server)
  try {
    await prepare(store, `${sink.url}/hook`)
    const promised: string[] = []
    let inFlight = 0
    let most = 0
    for (let round = 0; round < kills; round++) {
      seenInThisLife.clear()
      promised.push(...(await promises(where, String(round * 1_000_000), 20 + ((round * 37) % 180))))
      // What the dead process had sent may still be on its way to be read.
      await eventually(async () => open.size === 0)
      const cutOff = await notDone(store, seenInThisLife)
      assert.ok(cutOff <= inFlightMax, `${cutOff} in flight at one kill`)
      inFlight += cutOff
      most = Math.max(most, cutOff)
    }
    await promises(where, 'drain', Number.POSITIVE_INFINITY)
    const missing = promised.filter((id) => !seen.has(id))
    const repeats = [...seen.values()].reduce((sum, count) => sum + count - 1, 0)
    const words = `${promised.length} events promised, ${seen.size} arrived, ${repeats} repeats`
    const failed = await failures(store)
    t.diagnostic(`${kills} kills, ${words}, ${inFlight} in flight at the kills, at most ${most} at one, ${failed} failed attempts`)
    assert.ok(promised.length >= kills)
    assert.deepEqual(missing, [])
    // What a slow machine did not answer in time is made again by the schedule, kill or no kill.
    assert.ok(repeats <= inFlight + failed, `${repeats} repeats of ${inFlight} attempts cut off and ${failed} failed`)
  } finally {
    await store.close()
    await sink.close()
  }
})
