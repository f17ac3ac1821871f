// What was written for a talk, kept each time its script is saved as a document, so that it can be brought back.
import type { Reader, Tx } from '../../platform/db/store.ts'
import type { ScriptVersionRow } from '../../platform/db/tables/decks.ts'
import type { WrittenScript } from './script-document.ts'

/** Older ones go. */
const versionsMost = 50

export type VersionReason = ScriptVersionRow['reason']

async function newest(tx: Tx, sessionId: string) {
  const versions = tx.selectFrom('script_versions').select(['version', 'body']).where('session_id', '=', sessionId)
  return versions.orderBy('version', 'desc').limit(1).executeTakeFirst()
}

/** Keeps `script` as the newest version, unless it is that already. */
export async function keepVersion(
  tx: Tx,
  session_id: string,
  { script, reason, changed, now }: { script: WrittenScript; reason: VersionReason; changed: number; now: number },
): Promise<void> {
  const last = await newest(tx, session_id)
  const body = JSON.stringify(script)
  if (last?.body === body) return
  const version = (last?.version ?? 0) + 1
  await tx.insertInto('script_versions').values({ session_id, version, reason, changed, body, saved_at: now }).execute()
  await tx
    .deleteFrom('script_versions')
    .where('session_id', '=', session_id)
    .where('version', '<=', version - versionsMost)
    .execute()
}

/** Newest first. */
export async function listVersions(read: Reader, sessionId: string) {
  const versions = read
    .selectFrom('script_versions')
    .select(['version', 'reason', 'changed', 'saved_at'])
    .where('session_id', '=', sessionId)
  return versions.orderBy('version', 'desc').execute()
}

export async function findVersion(read: Reader | Tx, sessionId: string, version: number): Promise<WrittenScript | undefined> {
  const row = await read
    .selectFrom('script_versions')
    .select('body')
    .where('session_id', '=', sessionId)
    .where('version', '=', version)
    .executeTakeFirst()
  // Only our own JSON is ever written to the column.
  return row === undefined ? undefined : (JSON.parse(row.body) as WrittenScript)
}
