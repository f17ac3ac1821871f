// The public operations of these areas, in the order in which documents show them.
import { getAccount, listMembers, removeMember, switchAccount, updateAccount, updateMember } from '../accounts/account.ts'
import { listAudit } from '../accounts/audit.ts'
import { changeEmail, verifyRoutes } from '../accounts/change-email.ts'
import { createInvitation, deleteInvitation, inviteRoutes, listInvitations } from '../accounts/invitations.ts'
import { createKey, listKeys, revokeKey, rotateKey, updateKey } from '../accounts/keys.ts'
import type { PageRoute, PagesDeps } from '../accounts/visit.ts'
import { passwordRoutes, setPassword } from '../accounts/new-password.ts'
import { setupRoutes, signInRoutes } from '../accounts/sign-in.ts'
import { endSignIn, endSignIns, listSignIns } from '../accounts/sign-ins.ts'
import { getAgent, listAgents, revokeAgent, undoClaim } from './agents.ts'
import { claimRoutes } from './claim-page.ts'
import { claimAgent } from './claim.ts'
import { listApps, revokeApp } from './clients.ts'
import { getRegistration, renewRegistration, registerAgent, revokeCredential } from './register.ts'

export const authDeclarations = [registerAgent, claimAgent, getRegistration, renewRegistration, revokeCredential] as const

export const accountDeclarations = [
  getAccount,
  updateAccount,
  switchAccount,
  createKey,
  listKeys,
  updateKey,
  rotateKey,
  revokeKey,
  listAgents,
  getAgent,
  revokeAgent,
  undoClaim,
  listApps,
  revokeApp,
  listSignIns,
  endSignIn,
  endSignIns,
  setPassword,
  changeEmail,
  listMembers,
  updateMember,
  removeMember,
  createInvitation,
  listInvitations,
  deleteInvitation,
  listAudit,
] as const

// The list of human pages, for the HTTP surface to mount.

export function authRoutes(deps: PagesDeps): PageRoute[] {
  return [
    ...setupRoutes(deps),
    ...inviteRoutes(deps),
    ...passwordRoutes(deps),
    ...verifyRoutes(deps),
    ...signInRoutes(deps),
    ...claimRoutes(deps),
  ]
}
