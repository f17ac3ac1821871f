// Rows that belong to nothing any more: what a session has goes with it, and what a run shows stays as long as the run.
import { sql } from 'kysely'
import type { Store } from '../../../server/platform/db/store.ts'

const ofSession = ['decks', 'passages', 'scripts', 'beat_edits', 'leads', 'pap_questions', 'run_summaries'] as const
const ofDeck = ['slides', 'scripts', 'clips', 'blob_uses'] as const

/** In words, one a kind; empty where there are none. */
export async function straysIn({ read }: Store): Promise<string[]> {
  const strays: string[] = []
  const count = async (what: string, query: ReturnType<typeof sql<{ count: number }>>) => {
    const { rows } = await query.execute(read)
    const found = Number(rows[0]?.count ?? 0)
    if (found > 0) strays.push(`${found} ${what}`)
  }
  for (const table of ofSession)
    await count(
      `${table} of no session`,
      sql`SELECT count(*) AS count FROM ${sql.table(table)} WHERE session_id NOT IN (SELECT id FROM sessions)`,
    )
  for (const table of ofDeck)
    await count(
      `${table} of no deck`,
      // A session uses its portrait and its recordings as a deck its pictures, and an account its logo.
      sql`SELECT count(*) AS count FROM ${sql.table(table)} WHERE deck_id NOT IN (SELECT id FROM decks UNION ALL SELECT id FROM sessions UNION ALL SELECT id FROM accounts)`,
    )
  await count(
    'leads that repeat none',
    sql`SELECT count(*) AS count FROM leads WHERE repeat_of IS NOT NULL AND repeat_of NOT IN (SELECT id FROM leads)`,
  )
  const { rows } = await sql<object>`
    SELECT shows.*, decks.version, decks.kind, decks.state, decks.progress_total,
      (SELECT count(*) FROM slides WHERE slides.deck_id = shows.deck_id) AS slides
    FROM (
      SELECT 'session' AS what, id AS session_id, deck_id FROM sessions UNION ALL SELECT kind AS what, session_id, deck_id FROM runs
    ) AS shows LEFT JOIN decks ON decks.id = shows.deck_id
    WHERE shows.deck_id IS NOT NULL AND shows.session_id IN (SELECT id FROM sessions)
      AND (decks.id IS NULL OR decks.progress_total <> (SELECT count(*) FROM slides WHERE slides.deck_id = decks.id))`.execute(read)
  strays.push(...rows.map((row) => `without the slides of its deck: ${JSON.stringify(row)}`))
  return strays
}
