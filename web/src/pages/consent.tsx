// An application asks for consent, an agent to be claimed: what it may, what moves, where the answer goes, and one decision. No script.
import type { ComponentChildren } from 'preact'
import type { AskedScopes, Moving, PeoplePages } from '@rostrum/contract/people-pages'
import { buttonClass } from '../ui/button.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import type { MessageKey, Messages } from '../ui/words.ts'
import { filled, text } from './page-frame.tsx'
import { Alone, type Draw, Proof } from './people.tsx'

type Strings = { strings: Messages }

const scopeWords: Readonly<Record<AskedScopes['scopes'][number]['scope'], MessageKey>> = {
  'sessions:read': 'page.scope_sessions_read',
  'sessions:write': 'page.scope_sessions_write',
  'analytics:read': 'page.scope_analytics_read',
  'leads:read': 'page.scope_leads_read',
  'checkout:write': 'page.scope_checkout_write',
}

/** Each may be left out. */
function Scopes({ scopes, strings }: Strings & Pick<AskedScopes, 'scopes'>) {
  return scopes.map(({ scope, isTicked }) => (
    <Checkbox key={scope} name="scope" value={scope} defaultChecked={isTicked} label={text(strings, scopeWords[scope])} />
  ))
}

const accountOptions = ({ accounts }: AskedScopes) => accounts.map(({ id, name }) => ({ value: id, label: name }))

const quoted = (strings: Messages, words: string) => text(strings, 'page.quote').replace('{words}', () => words)

/** What calls itself so, and that nobody has checked it. */
function Asking({ name, words, strings }: Strings & { name: string; words: MessageKey }) {
  const note = <span class="muted">{text(strings, 'page.own_words')}</span>
  return <p>{filled(text(strings, words), { agent: <bdi class="agent-name">{quoted(strings, name)}</bdi>, note })}</p>
}

/**
 * First in a form that decides something: Enter in one of its fields presses the first button, and this one does nothing, since its
 * form is in no dialog. Whoever decides presses the button that says so. A disabled one would not do: Chromium passes it over.
 */
const nothingByEnter = <button formMethod="dialog" hidden />

export const consent: Draw<'consent'> = (props, page, strings) => {
  const title = text(strings, 'page.consent_title')
  return {
    title,
    body: (
      <Alone page={page} strings={strings} heading={title}>
        <Asking name={props.clientName} words="page.consent_asks" strings={strings} />
        <p>
          {text(strings, 'page.consent_goes')}{' '}
          <strong class="redirect-host">
            <bdi>{props.host}</bdi>
          </strong>
        </p>
        {props.isLocal && <p class="note note-amber">{text(strings, 'page.consent_local')}</p>}
        <form method="post" class="people-form">
          {nothingByEnter}
          <Proof page={page} />
          <fieldset class="people-fields">
            <legend>{text(strings, 'page.consent_may')}</legend>
            <Scopes scopes={props.scopes} strings={strings} />
          </fieldset>
          <Select name="account" label={text(strings, 'page.consent_account')} options={accountOptions(props)} value={props.accountId} />
          <p>{text(strings, 'page.consent_end')}</p>
          <div class="people-actions">
            <button class={buttonClass('plain')} name="decision" value="deny">
              {text(strings, 'page.consent_deny')}
            </button>
            <button class={buttonClass('primary')} name="decision" value="allow">
              {text(strings, 'page.consent_allow')}
            </button>
          </div>
        </form>
      </Alone>
    ),
  }
}

export const stopped: Draw<'stopped'> = ({ words }, page, strings) => {
  const title = text(strings, 'page.consent_stopped')
  return {
    title,
    body: (
      <Alone page={page} strings={strings} heading={title}>
        <p lang="en" dir="ltr">
          {words}
        </p>
      </Alone>
    ),
  }
}

const alerts: Readonly<Record<NonNullable<PeoplePages['claim']['alert']>, MessageKey>> = {
  'none-ticked': 'page.claim_tick',
  'password-needed': 'page.claim_password_needed',
  'password-wrong': 'page.claim_password_wrong',
  limited: 'page.limited',
}

export const claim: Draw<'claim'> = (props, page, strings) => {
  const { moving, alert } = props
  const title = text(strings, 'page.claim_title')
  const from = { ago: ago(props.registeredMs, page.language), network: <bdi dir="ltr">{props.network}</bdi> }
  return {
    title,
    body: (
      <Alone page={page} strings={strings} heading={title}>
        <Asking name={props.agentName} words="page.claim_asks" strings={strings} />
        <p class="muted">{filled(text(strings, 'page.claim_from'), from)}</p>
        {alert !== undefined && (
          <p class="note note-red" role="alert">
            {text(strings, alerts[alert])}
          </p>
        )}
        <form method="post" class="people-form">
          <Proof page={page} />
          <fieldset class="gains">
            <legend>{text(strings, 'page.claim_may')}</legend>
            <input type="hidden" name="narrows" value="1" />
            <Scopes scopes={props.scopes} strings={strings} />
          </fieldset>
          <dl class="facts">
            <Fact name={text(strings, 'page.claim_moves')}>
              <MovingSessions sessions={moving.sessions} strings={strings} />
            </Fact>
            {moving.webhooks.length > 0 && (
              <Fact name={text(strings, 'page.claim_events')}>
                <MovingWebhooks {...moving} strings={strings} />
              </Fact>
            )}
            <AccountChoice {...props} strings={strings} />
          </dl>
          {props.asksPassword && (
            <TextField
              name="password"
              type="password"
              label={text(strings, 'page.password')}
              hint={text(strings, 'page.claim_password_hint')}
              autocomplete="current-password"
              required
              autofocus
            />
          )}
          <p>{text(strings, props.isByItself ? 'page.claim_by_itself' : 'page.claim_then_code')}</p>
          <div class="people-actions">
            <button class={buttonClass('plain')} form="refusal" name="decision" value="deny">
              {text(strings, 'page.claim_refuse')}
            </button>
            <button class={buttonClass('primary')} name="decision" value="approve">
              {text(strings, 'page.claim_do')}
            </button>
          </div>
        </form>
        {/* A refusal is for good: in a form of its own, Enter after the password does not press it, and it waits for no field. */}
        <form method="post" id="refusal" hidden>
          <Proof page={page} />
        </form>
      </Alone>
    ),
  }
}

function Fact({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function MovingSessions({ sessions, strings }: Strings & Pick<Moving, 'sessions'>) {
  if (sessions.length === 0) return <>{text(strings, 'page.claim_none')}</>
  return (
    <>
      <ul>
        {sessions.map(({ id, title, status }) => (
          <li key={id}>
            <bdi>{title}</bdi> <span class="muted">{text(strings, `page.claim_${status}`)}</span>
          </li>
        ))}
      </ul>
      <p class="muted">{text(strings, 'page.claim_with')}</p>
    </>
  )
}

function MovingWebhooks({ webhooks, sessions, strings }: Strings & Moving) {
  const titles = new Map(sessions.map(({ id, title }) => [id, title]))
  const of = (id: string | null) =>
    id === null
      ? text(strings, 'page.claim_of_all')
      : filled(text(strings, 'page.claim_of'), { session: <bdi>{quoted(strings, titles.get(id) ?? id)}</bdi> })
  return (
    <>
      <ul>
        {webhooks.map(({ host, eventTypes, sessionId }) => (
          <li key={host}>
            <bdi class="moving-host">{host}</bdi>{' '}
            <span class="muted">
              {eventTypes.join(', ')}; {of(sessionId)}
            </span>
          </li>
        ))}
      </ul>
      <p class="muted">{text(strings, 'page.claim_webhooks')}</p>
    </>
  )
}

function AccountChoice({ strings, ...asked }: Strings & AskedScopes) {
  const label = text(strings, 'page.claim_account')
  const [only, second] = asked.accounts
  if (only !== undefined && second === undefined)
    return (
      <Fact name={label}>
        <bdi>{only.name}</bdi>
        <input type="hidden" name="account" value={only.id} />
      </Fact>
    )
  return (
    <Fact name={<label for="account">{label}</label>}>
      <select class="input" id="account" name="account">
        {asked.accounts.map(({ id, name }) => (
          <option key={id} value={id} selected={id === asked.accountId}>
            {name}
          </option>
        ))}
      </select>
    </Fact>
  )
}

function ago(ms: number, language: string): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const words = new Intl.RelativeTimeFormat(language)
  return minutes < 60 ? words.format(-minutes, 'minute') : words.format(-Math.round(minutes / 60), 'hour')
}

/** The one answer that holds the code. */
export const claimCode: Draw<'claim-code'> = ({ agentName, account, code, minutes }, page, strings) => {
  const title = text(strings, 'page.code_title')
  const time = new Intl.NumberFormat(page.language, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(minutes)
  const names = { agent: <bdi class="agent-name">{quoted(strings, agentName)}</bdi>, account: <bdi>{account}</bdi> }
  return {
    title,
    body: (
      <Alone page={page} strings={strings} heading={title}>
        <p>{filled(text(strings, 'page.code_give'), names)}</p>
        <output class="code" id="claim-code">
          {code}
        </output>
        <p class="muted">{filled(text(strings, 'page.code_valid'), { time })}</p>
        <p>
          <a href="/dashboard/agents">{text(strings, 'page.code_agents')}</a>
        </p>
      </Alone>
    ),
  }
}
