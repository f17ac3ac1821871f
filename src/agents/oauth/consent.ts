// `/oauth2/consent/<uid>`: a signed-in person allows or denies a client. It shows where the answer goes in bold, because the name
// is only what the client calls itself.
import type { Provider } from 'oidc-provider'
import { type Actor, actorOf, recordAct } from '../../accounts/audit.ts'
import type { AuthDeps } from '../deps.ts'
import { readFields } from '../../accounts/pages/form.ts'
import { csrfField, goneResponse, html, nothingByEnter, pageResponse, type PagesDeps, seeOther } from '../../accounts/pages/page.ts'
import { checkForm, keepReturn, type PageCall, type Visitor, visitorOf } from '../../accounts/pages/visitor.ts'
import { listAccountsOf, type MemberAccount } from '../../accounts/people.ts'
import { isScope, type Scope, scopeWords } from '../../platform/principal.ts'
import { mcpResource } from './authorize-query.ts'
import { redirectKind } from './clients.ts'
import { lend } from './node-bridge.ts'

const goneWords = 'This request has expired. Start again from the application.'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

interface Asked {
  clientId: string
  clientName: string
  redirect: URL
  scopes: readonly string[]
}

export async function showConsent(deps: PagesDeps, provider: Provider, call: PageCall): Promise<Response> {
  const visitor = await visitorOf(deps, call)
  const asked = await find(deps, provider, call)
  if (asked === undefined) return goneResponse(deps.frame, goneWords, visitor.theme)
  if (visitor.signIn === undefined) {
    const kept = await keepReturn(deps, call, new URL(call.request.url).pathname)
    return seeOther('/dashboard/sign-in', kept)
  }
  const accounts = await listAccountsOf(deps.store.read, visitor.signIn.principal.userId)
  return consentForm(deps, visitor, asked, accounts, visitor.signIn.principal.accountId)
}

export async function sendConsent(deps: PagesDeps, provider: Provider, call: PageCall): Promise<Response> {
  const fields = await readFields(call.request)
  const visitor = await visitorOf(deps, call)
  checkForm(deps, call, visitor.signIn, fields.get('csrf'))
  const asked = await find(deps, provider, call)
  if (asked === undefined || visitor.signIn === undefined) return goneResponse(deps.frame, goneWords, visitor.theme)
  const { principal } = visitor.signIn
  const accounts = await listAccountsOf(deps.store.read, principal.userId)
  const account = accounts.find(({ id }) => id === (fields.get('account') ?? principal.accountId))
  const wanted = asked.scopes.filter(isScope)
  const scopes = wanted.filter((scope) => fields.all('scope').includes(scope))
  const refused = wanted.filter((scope) => !scopes.includes(scope))
  const { req, res } = lend({ request: call.request, baseUrl: deps.settings.baseUrl })
  if (fields.get('decision') !== 'allow' || account === undefined || scopes.length === 0) {
    const denied = { error: 'access_denied', error_description: 'The person denied the request.' }
    return seeOther(await provider.interactionResult(req, res, denied, { mergeWithLastSubmission: false }))
  }
  const actor = actorOf({ ...call, principal })
  const resource = mcpResource(deps.settings.baseUrl)
  const { clientId, clientName, redirect } = asked
  const consent = {
    userId: principal.userId,
    accountId: account.id,
    clientId,
    clientName,
    redirectHost: hostOf(redirect),
    resource,
    scopes,
    refused,
  }
  const grantId = await saveConsent(deps, provider, actor, consent)
  const result = { login: { accountId: principal.userId }, consent: { grantId } }
  return seeOther(await provider.interactionResult(req, res, result, { mergeWithLastSubmission: false }))
}

/** The request that waits for a decision, if it is this browser's. */
async function find({ settings }: PagesDeps, provider: Provider, { request }: PageCall): Promise<Asked | undefined> {
  const { req, res } = lend({ request, baseUrl: settings.baseUrl })
  const details: Interaction | undefined = await provider.interactionDetails(req, res).catch(() => undefined)
  if (details === undefined || details.uid !== new URL(request.url).pathname.split('/').at(-1)) return undefined
  const { client_id: clientId, redirect_uri: redirectUri, scope } = details.params
  const client = typeof clientId === 'string' ? await provider.Client.find(clientId) : undefined
  const redirect = typeof redirectUri === 'string' ? URL.parse(redirectUri) : null
  if (client === undefined || redirect === null) return undefined
  const scopes = typeof scope === 'string' ? scope.split(' ').filter(isScope) : []
  return { clientId: client.clientId, clientName: client.clientName ?? client.clientId, redirect, scopes }
}

function hostOf(redirect: URL): string {
  return redirect.host === '' ? redirect.protocol : redirect.host
}

function consentForm(deps: PagesDeps, visitor: Visitor, asked: Asked, accounts: readonly MemberAccount[], accountId: string): Response {
  const { clientName, redirect, scopes } = asked
  const isLocal = redirectKind(redirect.href) !== 'web'
  const boxes = scopes.filter(isScope).map(
    (scope) => html`<div class="check">
<input type="checkbox" id="scope-${scope}" name="scope" value="${scope}" checked />
<label for="scope-${scope}">${scopeWords[scope]}</label>
</div>`,
  )
  const options = accounts.map(({ id, name }) => html`<option value="${id}" ${id === accountId && html`selected`}>${name}</option>`)
  const body = html`<h1>Allow an application</h1>
<p><bdi class="agent-name">“${clientName}”</bdi> <span class="muted">(its own words, not verified)</span> asks to act for you.</p>
<p>The answer goes to <strong class="redirect-host"><bdi>${hostOf(redirect)}</bdi></strong></p>
${isLocal && html`<p class="note note-amber">That is a program on your own machine. Only continue if you started it yourself.</p>`}
<form method="post">
${nothingByEnter}
${csrfField(visitor.csrf)}
<fieldset class="plain-fields"><legend>It may</legend>${boxes}</fieldset>
<div class="field"><label for="account">In the account</label><select class="input" id="account" name="account">${options}</select></div>
<p>You can end this at any time in the dashboard.</p>
<div class="plain-actions">
<button class="btn" name="decision" value="deny">Deny</button>
<button class="btn btn-primary" name="decision" value="allow">Allow</button>
</div>
</form>`
  // The browser follows the redirect after this form only to origins that its policy names.
  const formTargets = [redirect.protocol === 'https:' || redirect.protocol === 'http:' ? redirect.origin : redirect.protocol]
  return pageResponse(deps.frame, { name: 'Allow an application', body, theme: visitor.theme, cookies: visitor.cookies, formTargets })
}

// What a person decides about a client, written down as a grant of the provider and as a consent of ours.

export interface Consent {
  userId: string
  accountId: string
  clientId: string
  clientName: string
  redirectHost: string
  resource: string
  scopes: readonly Scope[]
  refused: readonly Scope[]
}

/** The id of the new grant. */
async function saveConsent(
  { store, ids }: Pick<AuthDeps, 'store' | 'ids'>,
  provider: Provider,
  actor: Actor,
  consent: Consent,
): Promise<string> {
  const { userId, accountId, clientId, clientName, redirectHost, resource, scopes, refused } = consent
  const grant = new provider.Grant({ accountId: userId, clientId })
  grant.addResourceScope(resource, scopes.join(' '))
  // What was left out is refused for good; else the provider would ask again.
  if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '))
  grant.addOIDCScope('offline_access')
  const grantId = await grant.save()
  await store.write(async (tx) => {
    await tx
      .insertInto('oauth_grants')
      .values({
        grant_id: grantId,
        user_id: userId,
        account_id: accountId,
        client_id: clientId,
        client_name: clientName,
        redirect_host: redirectHost,
        scopes: scopes.join(' '),
        revoked_at: null,
        created_at: actor.now,
      })
      .execute()
    await recordAct(tx, ids, actor, {
      action: 'consent.given',
      accountId,
      target: { kind: 'grant', id: grantId },
      data: { clientName, scopes },
    })
  })
  return grantId
}
