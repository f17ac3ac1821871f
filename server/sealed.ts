// Whether the secret of a process is the one of its store. A canary sealed in the store is opened at each start: with another secret
// webhooks would die quietly, mails that wait would be lost and connectors refused. A secret that has changed seals anew what the one
// before it had sealed, so that the old one may go.
import type { Ids } from '@rostrum/base/clock'
import { StartupError, type Store, type Tx } from './platform/db/store.ts'
import { createVault, type Vault } from './platform/vault.ts'

const row = 'secret canary'

export interface Secrets {
  /** The first seals, all open. */
  secrets: readonly string[]
  /** Where they come from, for words. */
  source: string
  ids: Ids
}

/** Throws `StartupError` where the store was sealed with another secret. A store without a canary gets one if what it holds opens. */
export async function checkSecret(store: Store, { secrets, source, ids }: Secrets): Promise<void> {
  const all = createVault(secrets, ids)
  const first = createVault(secrets.slice(0, 1), ids)
  const canary = await store.read.selectFrom('secret_canary').select('sealed').where('number', '=', 1).executeTakeFirst()
  const isOurs = canary === undefined ? await opensAny(store, all) : all.open(canary.sealed, row) !== undefined
  if (!isOurs)
    throw new StartupError(
      `${source} is not the secret that this store was made with: signing secrets of webhooks, mails that wait and keys of connectors could not be opened. Put that one back; to change it, write both, the new one first: ROSTRUM_SECRET=new,old.`,
    )
  if (canary !== undefined && first.open(canary.sealed, row) !== undefined) return
  await store.write(async (tx) => {
    await sealAnew(tx, first, all)
    const sealed = first.seal(Buffer.from(row), row)
    await tx
      .insertInto('secret_canary')
      .values({ number: 1, sealed })
      .onConflict((conflict) => conflict.column('number').doUpdateSet({ sealed }))
      .execute()
  })
}

/** True where nothing is sealed yet. */
async function opensAny({ read }: Store, vault: Vault): Promise<boolean> {
  const hooks = await read.selectFrom('webhook_subscriptions').select(['id', 'secret']).execute()
  const keys = await read.selectFrom('signing_keys').select(['kid', 'private']).execute()
  const sealed = [...hooks.map(({ id, secret }) => ({ id, sealed: secret })), ...keys.map((key) => ({ id: key.kid, sealed: key.private }))]
  return sealed.length === 0 || sealed.some((each) => vault.open(each.sealed, each.id) !== undefined)
}

const columns = ['secret', 'previous_secret', 'ed25519_seed', 'token'] as const

/** What an earlier secret has sealed; what none of them opens stays as it is. */
async function sealAnew(tx: Tx, first: Vault, all: Vault): Promise<void> {
  /** Undefined where nothing is to be done. */
  const anew = (sealed: Uint8Array, id: string) => {
    const opened = first.open(sealed, id) === undefined ? all.open(sealed, id) : undefined
    return opened && first.seal(opened, id)
  }
  const hooks = await tx
    .selectFrom('webhook_subscriptions')
    .select(['id', ...columns])
    .execute()
  for (const hook of hooks)
    for (const column of columns) {
      const sealed = hook[column] === null ? undefined : anew(hook[column], hook.id)
      if (sealed !== undefined)
        await tx
          .updateTable('webhook_subscriptions')
          .set({ [column]: sealed })
          .where('id', '=', hook.id)
          .execute()
    }
  for (const { kid, private: before } of await tx.selectFrom('signing_keys').select(['kid', 'private']).execute()) {
    const sealed = anew(before, kid)
    if (sealed !== undefined) await tx.updateTable('signing_keys').set({ private: sealed }).where('kid', '=', kid).execute()
  }
}
