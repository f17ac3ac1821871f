// Registration with a signed assertion (spec 5.2, `id-jag`): with a person's standing approval the agent is born claimed; without
// one it gets the page to show them, and no token.
import { ServiceError } from '../../kernel/errors.ts'
import type { Call } from '../../kernel/operation.ts'
import { scopes as allScopes } from '../../kernel/principal.ts'
import { email as emailShape } from '../accounts.ts'
import { findDelegation, useAssertion } from '../assertions/delegations.ts'
import type { Assertion } from '../assertions/verify.ts'
import { signInMaxSeconds } from '../assertions/verify.ts'
import type { Registered, RegisterDeps } from './insert-agent.ts'
import { insertAgent, insertRegistration } from './insert-agent.ts'
import { narrowed, pollSeconds } from './registration.ts'

/** How long a person has to open the page. */
const pageLifeMs = 60 * 60_000

interface AssertedAgent {
  clientName: string
  assertion: string
  scope: string | undefined
}

export async function registerByAssertion(deps: RegisterDeps, call: Call, asked: AssertedAgent): Promise<Registered> {
  const assertion = await verifiedAssertion(deps, call, asked.assertion)
  const scopes = narrowed(narrowed(allScopes, assertion.scope), asked.scope)
  const subject = { issuer: assertion.issuer, subject: assertion.subject }
  const agent = { kind: 'id_jag', clientName: asked.clientName, emailHint: assertion.email, scopes, subject } as const
  const outcome = await deps.store.write(async (tx) => {
    // Last of all checks, so that a refused assertion does not burn its id.
    if (!(await useAssertion(tx, assertion))) return 'replayed'
    const delegation = await findDelegation(tx, assertion.issuer, assertion.subject)
    if (delegation !== undefined) {
      const allowed = narrowed(scopes, delegation.scopes)
      return { registered: await insertAgent(tx, deps, call, { ...agent, scopes: allowed, bornBoundTo: delegation }) }
    }
    return insertRegistration(tx, deps, call, agent, pageLifeMs)
  })
  if (outcome === 'replayed') throw new ServiceError('replay_detected', 'This assertion was used before. Send a fresh one.')
  if ('registered' in outcome) return outcome.registered
  throw new ServiceError(
    'interaction_required',
    'The person must approve first: open claim_uri with them, then register again with a fresh assertion.',
    {
      members: { claim_uri: `${deps.settings.baseUrl}/claim/${outcome.pageToken}`, expires_in: pageLifeMs / 1_000, interval: pollSeconds },
      headers: { 'WWW-Authenticate': 'AgentAuth error="interaction_required"' },
    },
  )
}

/** What the assertion says, its address in our form. Throws the codes of its faults. */
export async function verifiedAssertion({ assertions }: Pick<RegisterDeps, 'assertions'>, { now }: Call, text: string): Promise<Assertion> {
  const verdict = await assertions.verify(text, now)
  if (verdict.ok) {
    const email = emailShape.safeParse(verdict.assertion.email)
    if (email.success) return { ...verdict.assertion, email: email.data }
    throw new ServiceError('email_not_verified', 'The assertion holds no e-mail address.')
  }
  const headers =
    verdict.code === 'login_required'
      ? { 'WWW-Authenticate': `AgentAuth error="login_required", max_age="${signInMaxSeconds}"` }
      : verdict.code === 'temporarily_unavailable'
        ? { 'Retry-After': '60' }
        : undefined
  throw new ServiceError(verdict.code, verdict.words, headers === undefined ? {} : { headers })
}
