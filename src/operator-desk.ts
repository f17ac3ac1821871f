// What the operator does to a session of anybody at the command line: the public operation of its account, and a line in the audit log.
import { type Act, operator, recordAct } from './accounts/audit.ts'
import type { OwnerDeskParts } from './owner-desk.ts'
import { createOwnerDesk } from './owner-desk.ts'

export type OperatorAct = 'unpublish' | 'delete'

export async function actAsOperator(
  parts: OwnerDeskParts,
  id: string,
  act: OperatorAct,
  anyAccount: boolean,
): Promise<'done' | 'foreign' | 'unknown'> {
  const { store, ids, clock, accountId } = parts
  const session = await store.read.selectFrom('sessions').select('account_id').where('id', '=', id).executeTakeFirst()
  if (session === undefined) return 'unknown'
  if (session.account_id !== accountId && !anyAccount) return 'foreign'
  const desk = createOwnerDesk({ ...parts, accountId: session.account_id })
  await (act === 'delete' ? desk.remove(id) : desk.unpublish(id))
  const about = { accountId: session.account_id, target: { kind: 'session', id } }
  const told: Act = act === 'delete' ? { action: 'session.deleted', ...about } : { action: 'session.unpublished', ...about }
  await store.write((tx) => recordAct(tx, ids, operator(clock.now()), told))
  return 'done'
}
