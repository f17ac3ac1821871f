// What the operations, pages and commands of agents need beside those of accounts; `compose.ts` builds it once.
import type { AccountDeps } from '../accounts/deps.ts'
import type { PagesDeps } from '../accounts/visit.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import type { Assertions } from './assertion.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface AuthDeps extends AccountDeps {
  assertions: Assertions
  signingKeys: SigningKeys
  /** Fetches the documents by which OAuth clients describe themselves; absent where nothing goes out. */
  outbound?: Pick<Outbound, 'request'>
}

/** Of the routes that agents and applications call. */
export type AgentRoutesDeps = AuthDeps & PagesDeps
