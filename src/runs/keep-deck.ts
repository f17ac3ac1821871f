// A run shows the deck version that it began with to its end, and the replay and the recaps show it after that.
import { kept, prepared } from '../platform/db/statements.ts'
import type { Tx } from '../platform/db/store.ts'
import type { RunRow } from '../platform/db/tables/runs.ts'

const keep = prepared((db, { id }: { id: string }) => kept(db, db.selectFrom('decks').select('id').where('id', '=', id)))

/**
 * Of a run that was inserted just now. Its version was read before the transaction, and one that no run names goes when another takes
 * its place: the run then begins with that one, or with the next if that goes too while we wait for it. After the insert, which may wait
 * for another run: see the order in `holdSession`.
 */
export async function keepDeck(tx: Tx, { id, session_id, deck_id }: RunRow): Promise<void> {
  let wanted = deck_id
  while (wanted !== null && (await keep(tx, { id: wanted })).length === 0) {
    const session = await tx.selectFrom('sessions').select('deck_id').where('id', '=', session_id).executeTakeFirst()
    const inService = session?.deck_id ?? null
    if (inService === wanted) throw new Error(`The session ${session_id} shows a deck that does not exist.`)
    wanted = inService
  }
  if (wanted !== deck_id) await tx.updateTable('runs').set({ deck_id: wanted }).where('id', '=', id).execute()
}
