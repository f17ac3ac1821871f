// A part of the settings that members do not see.
import type { ComponentChildren } from 'preact'
import { accountQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { Account } from '../data/wire.ts'
import { Loaded } from '../parts/loaded.tsx'

export function ForAdmins({ sees, children }: { sees: string; children: (account: Account) => ComponentChildren }) {
  const account = useQuery(accountQuery)
  return (
    <Loaded query={account}>
      {(found) => (found.role === 'member' ? <p class="note">Only an admin or the owner sees {sees}.</p> : children(found))}
    </Loaded>
  )
}
