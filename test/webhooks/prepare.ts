// A session and a subscription to it in a store that other processes open: what a suite of real processes starts from.
import { systemIds } from '@rostrum/base/clock'
import type { Store } from '../../server/platform/db/store.ts'
import { createVault } from '../../server/platform/vault.ts'
import { sessionRow } from '../support/rows.ts'

export async function prepare(store: Store, url: string, secret = 'secret'): Promise<void> {
  const id = 'wh_0198c1d27a537c1e9a405f6d2b8e4c11'
  await store.write(async (tx) => {
    await tx.insertInto('sessions').values(sessionRow()).execute()
    await tx
      .insertInto('webhook_subscriptions')
      .values({
        id,
        account_id: 'acct-1',
        session_id: null,
        url,
        event_types: '["cta.clicked"]',
        description: null,
        disabled_reason: null,
        owner_credential_id: null,
        secret: createVault([secret], systemIds).seal(Buffer.alloc(32, 1), id),
        secret_hint: 'xxxx',
        format: 'standard',
        token: null,
        previous_secret: null,
        previous_secret_until: null,
        ed25519_seed: null,
        public_key: null,
        dead_letters: 0,
        failing_since: null,
        created_at: 0,
        updated_at: 0,
        deleted_at: null,
      })
      .execute()
  })
}
