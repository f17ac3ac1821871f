// The public operations of this area, in the order in which documents show them.
import { changeEmail } from './account/change-email.ts'
import { createInvitation } from './account/create-invitation.ts'
import { createKey } from './account/create-key.ts'
import { deleteInvitation } from './account/delete-invitation.ts'
import { endSignIn } from './account/end-sign-in.ts'
import { endSignIns } from './account/end-sign-ins.ts'
import { getAccount } from './account/get-account.ts'
import { getAgent } from './account/get-agent.ts'
import { listAgents } from './account/list-agents.ts'
import { listApps } from './account/list-apps.ts'
import { listAudit } from './account/list-audit.ts'
import { listInvitations } from './account/list-invitations.ts'
import { listKeys } from './account/list-keys.ts'
import { listMembers } from './account/list-members.ts'
import { listSignIns } from './account/list-sign-ins.ts'
import { removeMember } from './account/remove-member.ts'
import { revokeApp } from './account/revoke-app.ts'
import { revokeAgent } from './account/revoke-agent.ts'
import { revokeKey } from './account/revoke-key.ts'
import { rotateKey } from './account/rotate-key.ts'
import { setPassword } from './account/set-password.ts'
import { switchAccount } from './account/switch-account.ts'
import { undoClaim } from './account/undo-claim.ts'
import { updateAccount } from './account/update-account.ts'
import { updateKey } from './account/update-key.ts'
import { updateMember } from './account/update-member.ts'
import { claimAgent } from './registrations/claim-agent.ts'
import { registerAgent } from './registrations/register-agent.ts'
import { revokeCredential } from './registrations/revoke-credential.ts'

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
