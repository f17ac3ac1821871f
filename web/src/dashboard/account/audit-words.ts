// The audit log in words: what happened, and who did it.
import type { AuditEntry } from './account-wire.ts'

/** By the name that the log keeps; a test holds it to every act that the service records. */
export const actWords: Readonly<Record<string, string>> = {
  'account.renamed': 'Renamed the account',
  'agent.approved': 'Approved an agent',
  'agent.claimed': 'An agent was claimed',
  'agent.denied': 'Refused an agent',
  'agent.registered': 'An agent registered itself',
  'agent.renewed': 'An agent was renewed',
  'agent.revoked': 'Revoked an agent',
  'agent.undone': 'Took the claim of an agent back',
  'brand.changed': 'Changed the brand',
  'consent.ended': 'Removed a connected app',
  'consent.given': 'Connected an app',
  'credential.revoked': 'A credential was ended by whoever held it',
  'delegation.approved': 'Approved the agents of an identity provider',
  'delegation.revoked': 'An identity provider ended its agents',
  'email.change_asked': 'Asked for another email address',
  'email.changed': 'Confirmed another email address',
  'invitation.deleted': 'Withdrew an invitation',
  'key.created': 'Made an API key',
  'key.revoked': 'Revoked an API key',
  'key.rotated': 'Rotated an API key',
  'limit.crossed': 'Reached a limit of calls',
  'budget.reached': 'Reached half, four fifths or all of a budget',
  'member.invited': 'Invited somebody',
  'member.joined': 'Joined the account',
  'member.removed': 'Removed a member',
  'member.role_changed': 'Changed a role',
  'password.changed': 'Changed the password',
  'password.link_mailed': 'A link for a new password was mailed',
  'password.reset': 'Set a new password by link',
  'scope.refused': 'Was refused for want of a right',
  'session.deleted': 'Deleted a session',
  'session.unpublished': 'Closed the room of a session',
  'sign_in.ended': 'Signed out',
  'sign_in.failed': 'A sign-in failed',
  'sign_in.started': 'Signed in',
  'sign_ins.ended': 'Signed out everywhere else',
  'user.created': 'A person was added',
  'webhook.created': 'Added a webhook endpoint',
  'webhook.deleted': 'Deleted a webhook endpoint',
  'webhook.rotated': 'Rotated a signing secret',
  'webhook.updated': 'Changed a webhook endpoint',
}

const actorWords: Readonly<Record<string, string>> = {
  user: 'Somebody who left',
  api_key: 'A key that is gone',
  agent: 'An agent',
  oauth: 'A connected app',
  operator: 'The operator, at the command line',
  nobody: 'Nobody signed in',
}

/** An act that this version does not know is shown by its name. */
export const wordsForAct = (action: string): string => actWords[action] ?? action

/** `names`: of the people, keys and agents of the account, by id. */
export function wordsForActor({ actorKind, actorId }: AuditEntry, names: ReadonlyMap<string, string>): string {
  return (actorId === null ? undefined : names.get(actorId)) ?? actorWords[actorKind] ?? actorKind
}

/** What the act was done to and with, where that says more. */
export function wordsForDetail({ action, targetId, data }: AuditEntry, names: ReadonlyMap<string, string>): string {
  const said = [
    targetId === null ? undefined : names.get(targetId),
    typeof data?.['role'] === 'string' ? `as ${data['role']}` : undefined,
    action === 'key.rotated' && typeof data?.['graceSeconds'] === 'number' ? graceWords(data['graceSeconds']) : undefined,
  ]
  return said.filter((each) => each !== undefined).join(', ')
}

function graceWords(seconds: number): string {
  if (seconds === 0) return 'the old one ended at once'
  const hours = Math.round(seconds / 3_600)
  return `the old one works on for ${hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`}`
}
