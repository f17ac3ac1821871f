// A run shows the deck version that it began with to its end, and the replay and the recaps show it after that.
import { prepared } from '../storage/prepared.ts'
import { kept } from '../storage/row-locks.ts'
import type { Tx } from '../storage/store.ts'
import type { RunRow } from '../storage/tables/runs.ts'

const keep = prepared((db, { id }: { id: string }) => kept(db, db.selectFrom('decks').select('id').where('id', '=', id)))

/**
 * Of a run that was inserted just now. Its version was read before the transaction, and one that no run names goes when another takes
 * its place: the run then begins with that one. After the insert, which may wait for another run: see the order in `holdSession`.
 */
export async function keepDeck(tx: Tx, { id, session_id, deck_id }: RunRow): Promise<void> {
  if (deck_id === null || (await keep(tx, { id: deck_id })).length > 0) return
  const session = await tx.selectFrom('sessions').select('deck_id').where('id', '=', session_id).executeTakeFirst()
  const inService = session?.deck_id ?? null
  await tx.updateTable('runs').set({ deck_id: inService }).where('id', '=', id).execute()
  if (inService !== null) await keep(tx, { id: inService })
}
