// The ES256 keys of this service (RFC 7517), one a month: each is published a day before its first use and until what it last signed
// has expired. Kept sealed under `ROSTRUM_SECRET`, so every process signs with the same one.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { Ids } from '@rostrum/base/clock'
import type { Store } from '../platform/db/store.ts'
import type { SigningKeyRow } from '../accounts/tables.ts'
import { createVault } from '../platform/vault.ts'

/** What a key signs lives at most this long. */
export const signedMaxMs = 3_600_000
const hour = 3_600_000
const aheadMs = 24 * hour
const monthMs = 30 * 24 * hour
/** Beside the last signature's life: clocks of processes differ. */
const lingerMs = signedMaxMs + hour
/** How long another process may not know of a new key; far less than it is published ahead. */
const rereadMs = hour / 6

export type SigningKeys = ReturnType<typeof createSigningKeys>

interface SigningKeysDeps {
  store: Store
  ids: Ids
  /** The first seals, all open. */
  secrets: readonly string[]
}

export function createSigningKeys({ store, ids, secrets }: SigningKeysDeps) {
  const opened = new Map<string, KeyObject>()
  const vault = createVault(secrets.slice(0, 1), ids)
  const earlierVault = createVault(secrets, ids)
  let kept: { rows: readonly SigningKeyRow[]; at: number; nextAt: number } | undefined

  async function rowsAt(now: number): Promise<readonly SigningKeyRow[]> {
    if (kept === undefined || now < kept.at || now - kept.at >= rereadMs || now >= kept.nextAt) {
      let rows = await read()
      if (now >= nextKeyAt(rows)) {
        await add(rows.at(-1), now)
        rows = await read()
      }
      for (const row of rows) if (!opened.has(row.kid)) opened.set(row.kid, await open(row))
      kept = { rows, at: now, nextAt: nextKeyAt(rows) }
    }
    return kept.rows.filter((row) => row.retire_at === null || row.retire_at > now)
  }

  const read = () => store.read.selectFrom('signing_keys').selectAll().orderBy('number').execute()

  /** The number decides: of many processes that add the next key at once, one does. */
  async function add(newest: SigningKeyRow | undefined, now: number): Promise<void> {
    const useFrom = newest === undefined ? now : Math.max(newest.use_from + monthMs, now + aheadMs)
    const fresh = { ...makeKey(), number: (newest?.number ?? 0) + 1, use_from: useFrom, retire_at: null }
    await store.write(async (tx) => {
      const added = await tx
        .insertInto('signing_keys')
        .values(fresh)
        .onConflict((conflict) => conflict.column('number').doNothing())
        .returning('kid')
        .executeTakeFirst()
      if (added === undefined || newest === undefined) return
      await tx
        .updateTable('signing_keys')
        .set({ retire_at: useFrom + lingerMs })
        .where('kid', '=', newest.kid)
        .execute()
    })
  }

  function makeKey(): Pick<SigningKeyRow, 'kid' | 'alg' | 'private' | 'public'> {
    const kid = ids.uuid()
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' })
    const sealed = vault.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), kid)
    return { kid, alg: 'ES256', private: sealed, public: JSON.stringify({ kty, crv, x, y }) }
  }

  /** Seals anew what an older secret had sealed. */
  async function open({ kid, private: sealed }: SigningKeyRow): Promise<KeyObject> {
    const own = vault.open(sealed, kid)
    const pkcs8 = own ?? earlierVault.open(sealed, kid)
    if (pkcs8 === undefined)
      throw new Error('The signing key was made with another ROSTRUM_SECRET. Put the old one after the new one, separated by a comma.')
    if (own === undefined) {
      const anew = vault.seal(pkcs8, kid)
      await store.write((tx) => tx.updateTable('signing_keys').set({ private: anew }).where('kid', '=', kid).execute())
    }
    return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  }

  return {
    /** The key that signs now. */
    async current(now: number): Promise<{ kid: string; key: KeyObject }> {
      const row = (await rowsAt(now)).findLast(({ use_from }) => use_from <= now)
      const key = row && opened.get(row.kid)
      if (row === undefined || key === undefined) throw new Error('there is no signing key for this time')
      return { kid: row.kid, key }
    },
    /** The public keys that may be met now, the one in use and those before and after it. */
    async published(now: number): Promise<JWK[]> {
      return (await rowsAt(now)).map(({ kid, alg, public: text }) => {
        // Written by `makeKey`.
        const members = JSON.parse(text) as JWK
        return { ...members, kid, alg, use: 'sig' }
      })
    },
  }
}

/** When the key after these is to be published. */
function nextKeyAt(rows: readonly SigningKeyRow[]): number {
  const newest = rows.at(-1)
  return newest === undefined ? -Infinity : newest.use_from + monthMs - aheadMs
}
