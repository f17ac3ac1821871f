// How the claim page looks: what the agent calls itself, what it will be allowed to, what moves, and one decision.
import type { Reader } from '../../storage/store.ts'
import type { Scope } from '../../kernel/principal.ts'
import { scopeWords } from '../../kernel/principal.ts'
import type { RegistrationRow } from '../../storage/tables/auth.ts'
import type { MemberAccount } from '../accounts.ts'
import type { ClaimPreview } from '../registrations/claim-preview.ts'
import { previewClaim } from '../registrations/claim-preview.ts'
import { claimable } from '../registrations/registration.ts'
import { alertNote, csrfField, fieldsOf } from './fields.ts'
import type { Html } from './html.ts'
import { html } from './html.ts'
import type { PageFrame } from './page.ts'
import { pageResponse } from './page.ts'
import type { Visitor } from './visitor.ts'

export interface ClaimForm {
  registration: RegistrationRow
  accounts: readonly MemberAccount[]
  accountId: string
  csrf: string
  asksPassword: boolean
  words: string | undefined
  /** What was ticked before; undefined: everything. */
  allowed?: readonly Scope[] | undefined
  now: number
}

export async function claimForm(read: Reader, form: ClaimForm): Promise<Html> {
  const { registration, csrf, asksPassword, words } = form
  const preview = await previewClaim(read, registration.agent_account_id)
  return html`<h1>Claim an agent</h1>
<p><bdi class="agent-name">“${registration.client_name}”</bdi> <span class="muted">(its own words, not verified)</span> asks to act for your account.</p>
<p class="plain-lead">Registered ${ago(form.now - registration.created_at)} from the network ${registration.ip_prefix}. Only continue if you started this.</p>
${alertNote(words)}
<form method="post">
${csrfField(csrf)}
<fieldset class="gains"><legend>It will be allowed to, in your whole account</legend>
<input type="hidden" name="narrows" value="1" />
${boxes(form)}
</fieldset>
<dl class="facts">
<div><dt>Sessions that move to your account</dt><dd>${sessionsOf(preview)}</dd></div>
${preview.webhooks.length > 0 && html`<div><dt>Where it sends events</dt><dd>${webhooksOf(preview)}</dd></div>`}
<div>${accountChoice(form)}</div>
</dl>
${asksPassword && fieldsOf([{ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hint: 'Asked again because your last sign-in is more than ten minutes old.' }])}
<p>${registration.kind === 'id_jag' ? 'It then goes on by itself.' : 'You then get a code to read to the agent.'} You can take the claim back within 24 hours.</p>
<div class="plain-actions">
<button class="btn" form="refusal" name="decision" value="deny">Not mine, refuse</button>
<button class="btn btn-primary" name="decision" value="approve">Claim agent</button>
</div>
</form>
${refusal(csrf)}`
}

function boxes({ registration, allowed }: ClaimForm): Html[] {
  return claimable(registration).map(
    (scope) => html`<div class="check">
<input type="checkbox" id="scope-${scope}" name="scope" value="${scope}"${(allowed?.includes(scope) ?? true) && html` checked`} />
<label for="scope-${scope}">${scopeWords[scope]}</label>
</div>`,
  )
}

function sessionsOf({ sessions }: ClaimPreview): Html {
  if (sessions.length === 0) return html`None: it has made none yet.`
  const rows = sessions.map(
    ({ title, status }) => html`<li><bdi>${title}</bdi> <span class="muted">${status === 'published' ? 'published' : 'draft'}</span></li>`,
  )
  return html`<ul>${rows}</ul><p class="muted">With their leads and figures.</p>`
}

function webhooksOf({ webhooks, sessions }: ClaimPreview): Html {
  const titles = new Map(sessions.map(({ id, title }) => [id, title]))
  const rows = webhooks.map(({ host, eventTypes, sessionId }) => {
    const of = sessionId === null ? html`of every session of your account` : html`of <bdi>“${titles.get(sessionId) ?? 'a session'}”</bdi>`
    return html`<li><bdi class="moving-host">${host}</bdi> <span class="muted">${eventTypes.join(', ')}; ${of}</span></li>`
  })
  return html`<ul>${rows}</ul><p class="muted">You can remove them under Webhooks in the dashboard.</p>`
}

/** A refusal is for good: in a form of its own, Enter after the password does not press it, and it waits for no field. */
const refusal = (csrf: string): Html => html`<form method="post" id="refusal" hidden>${csrfField(csrf)}</form>`

function accountChoice({ accounts, accountId }: ClaimForm): Html {
  const [only, second] = accounts
  if (only !== undefined && second === undefined) {
    return html`<dt>Account</dt><dd><bdi>${only.name}</bdi><input type="hidden" name="account" value="${only.id}" /></dd>`
  }
  const options = accounts.map(({ id, name }) => html`<option value="${id}"${id === accountId && html` selected`}>${name}</option>`)
  return html`<dt><label for="account">Account</label></dt><dd><select class="input" id="account" name="account">${options}</select></dd>`
}

function ago(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 1) return 'just now'
  if (minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`
  const hours = Math.round(minutes / 60)
  return hours === 1 ? 'an hour ago' : `${hours} hours ago`
}

export interface ShownCode {
  code: string
  expiresAt: number
  agent: string
  account: string
  now: number
}

/** The one answer that holds the code. */
export function codePage(frame: PageFrame, visitor: Visitor, { code, expiresAt, agent, account, now }: ShownCode): Response {
  const minutes = Math.max(1, Math.floor((expiresAt - now) / 60_000))
  const body = html`<h1>Read this code to the agent</h1>
<p>Give it to <bdi class="agent-name">“${agent}”</bdi> and nobody else. It then works for <bdi>${account}</bdi>.</p>
<output class="code" id="claim-code">${code}</output>
<p class="plain-lead">Valid for ${minutes} minutes. Opening the page again and approving gives a new code; this one then no longer works.</p>
<p><a href="/dashboard/agents">See your agents</a></p>`
  return pageResponse(frame, { name: 'Code for the agent', body, theme: visitor.theme, cookies: visitor.cookies })
}
