// The public operations of this area, in the order in which documents show them.
import { getAccount, switchAccount, updateAccount } from '../accounts/account.ts'
import { changeEmail } from '../accounts/change-email.ts'
import { setPassword } from '../accounts/change-password.ts'
import { createInvitation, deleteInvitation, listInvitations } from '../accounts/invitations.ts'
import { createKey, listKeys, revokeKey, rotateKey, updateKey } from '../accounts/keys.ts'
import { listAudit } from '../accounts/audit.ts'
import { listMembers, removeMember, updateMember } from '../accounts/members.ts'
import { endSignIn, endSignIns, listSignIns } from '../accounts/sign-ins.ts'
import { getAgent, listAgents, revokeAgent, undoClaim } from './agents.ts'
import { claimAgent } from './claim.ts'
import { listApps, revokeApp } from './oauth/apps.ts'
import { registerAgent } from './register.ts'
import { revokeCredential } from './revoke.ts'

export const authDeclarations = [
  registerAgent,
  claimAgent,
  revokeCredential,
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
