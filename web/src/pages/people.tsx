// Sign-in and set-up, invitation, a new password, a new address: one column, one thing to do, no script.
import type { ComponentChildren, VNode } from 'preact'
import type { Notice, PeoplePages, WrongFields } from '@rostrum/contract/people-pages'
import type { PageContext } from '../server/types.ts'
import { buttonClass } from '../ui/button.tsx'
import { TextField, type TextFieldProps } from '../ui/field.tsx'
import type { MessageKey, Messages } from '../ui/words.ts'
import { filled, type FrameProps, PageFrame, text } from './page-frame.tsx'

type Drawn = { title: string; body: VNode }
export type Draw<Name extends keyof PeoplePages> = (props: PeoplePages[Name], page: PageContext, strings: Messages) => Drawn

interface AloneProps extends FrameProps {
  heading: ComponentChildren
  lead?: ComponentChildren
  /** What went wrong with the form as a whole. */
  alert?: string | undefined
  children: ComponentChildren
}

export function Alone({ page, strings, heading, lead, alert, children }: AloneProps) {
  return (
    <PageFrame page={page} strings={strings} narrow isAlone>
      <h1>{heading}</h1>
      {lead !== undefined && <p class="muted">{lead}</p>}
      {alert !== undefined && (
        <p class="note note-red" role="alert">
          {alert}
        </p>
      )}
      {children}
    </PageFrame>
  )
}

/** The hidden field that proves the form to come from this page. */
export function Proof({ page }: Pick<FrameProps, 'page'>) {
  return <input type="hidden" name="csrf" value={page.csrf} />
}

type Input = TextFieldProps & { name: string }

/** The first with an error takes the focus, else the first that is empty. */
function Inputs({ fields }: { fields: readonly Input[] }) {
  const focused = fields.find(({ error }) => error !== undefined) ?? fields.find(({ readOnly, value }) => !readOnly && !value)
  return (
    <div class="people-fields">
      {fields.map((field) => (
        <TextField key={field.name} {...field} required autofocus={field === focused} />
      ))}
    </div>
  )
}

function Sheet({
  fields,
  button,
  after,
  ...rest
}: Omit<AloneProps, 'children'> & { fields?: readonly Input[]; button: MessageKey; after?: VNode }) {
  const { page, strings } = rest
  return (
    <Alone {...rest}>
      <form method="post" class="people-form">
        <Proof page={page} />
        {fields !== undefined && <Inputs fields={fields} />}
        <div class="people-actions">
          <button class={buttonClass('primary')}>{text(strings, button)}</button>
        </div>
      </form>
      {after}
    </Alone>
  )
}

function Way({ href, words, strings }: { href: string; words: MessageKey; strings: Messages }) {
  return (
    <p>
      <a href={href}>{text(strings, words)}</a>
    </p>
  )
}

const fieldsIn = (strings: Messages, wrong: WrongFields = {}) => {
  const missing = (isWrong: true | undefined, words: MessageKey) => (isWrong ? text(strings, words) : undefined)
  return {
    name: (value: string): Input => ({
      name: 'name',
      label: text(strings, 'page.name'),
      value,
      autocomplete: 'name',
      error: missing(wrong.name, 'page.name_missing'),
    }),
    email: (value: string): Input => ({
      name: 'email',
      type: 'email',
      dir: 'ltr',
      label: text(strings, 'page.email'),
      value,
      autocomplete: 'username',
      error: missing(wrong.email, 'page.email_missing'),
    }),
    accountName: (value: string): Input => ({
      name: 'accountName',
      label: text(strings, 'page.account_name'),
      value,
      autocomplete: 'organization',
      hint: text(strings, 'page.account_hint'),
      error: missing(wrong.accountName, 'page.account_missing'),
    }),
    newPassword: (label: MessageKey, hint: MessageKey): Input => ({
      name: 'password',
      type: 'password',
      label: text(strings, label),
      autocomplete: 'new-password',
      hint: text(strings, hint),
      error: wrong.password && text(strings, `page.password_${wrong.password}`),
    }),
  }
}

const signIn: Draw<'sign-in'> = ({ email, alert }, page, strings) => {
  const title = text(strings, 'page.sign_in')
  const password: Input = {
    name: 'password',
    type: 'password',
    label: text(strings, 'page.password'),
    autocomplete: 'current-password',
  }
  return {
    title,
    body: (
      <Sheet
        page={page}
        strings={strings}
        heading={title}
        alert={alert && text(strings, alert === 'wrong' ? 'page.sign_in_wrong' : 'page.limited')}
        fields={[fieldsIn(strings).email(email), password]}
        button="page.sign_in"
        after={<Way href="/dashboard/recover" words="page.forgotten" strings={strings} />}
      />
    ),
  }
}

const setUp: Draw<'set-up'> = ({ given, wrong }, page, strings) => {
  const title = text(strings, 'page.setup_title')
  const fields = fieldsIn(strings, wrong)
  return {
    title,
    body: (
      <Sheet
        page={page}
        strings={strings}
        heading={title}
        lead={text(strings, 'page.setup_lead')}
        fields={[
          fields.name(given.name),
          fields.email(given.email),
          fields.newPassword('page.password', 'page.password_hint_long'),
          fields.accountName(given.accountName),
        ]}
        button="page.setup_do"
      />
    ),
  }
}

const invite: Draw<'invite'> = ({ account, role, newcomer }, page, strings) => {
  const words = text(strings, 'page.join_title')
  const fields = newcomer && fieldsIn(strings, newcomer.wrong)
  return {
    title: words.replace('{account}', () => account),
    body: (
      <Sheet
        page={page}
        strings={strings}
        heading={filled(words, { account: <bdi>{account}</bdi> })}
        lead={text(strings, `page.join_${role}`)}
        {...(fields && {
          fields: [
            { ...fields.email(newcomer.email), readOnly: true },
            fields.name(newcomer.name),
            fields.newPassword('page.password', 'page.password_hint'),
          ],
        })}
        button="page.join_do"
      />
    ),
  }
}

const recover: Draw<'recover'> = ({ email, wrong, alert }, page, strings) => {
  const title = text(strings, 'page.forgotten')
  return {
    title,
    body: (
      <Sheet
        page={page}
        strings={strings}
        heading={title}
        lead={text(strings, 'page.recover_lead')}
        alert={alert && text(strings, 'page.limited')}
        fields={[fieldsIn(strings, wrong).email(email)]}
        button="page.recover_do"
        after={<Way {...ways.back} strings={strings} />}
      />
    ),
  }
}

const reset: Draw<'reset'> = ({ wrong }, page, strings) => {
  const title = text(strings, 'page.reset_title')
  const password = fieldsIn(strings, wrong).newPassword('page.new_password', 'page.password_hint')
  return {
    title,
    body: (
      <Sheet
        page={page}
        strings={strings}
        heading={title}
        lead={text(strings, 'page.reset_lead')}
        fields={[password]}
        button="page.reset_do"
      />
    ),
  }
}

const verify: Draw<'verify'> = ({ email }, page, strings) => {
  const title = text(strings, 'page.verify_title')
  const lead = filled(text(strings, 'page.verify_lead'), { email: <bdi>{email}</bdi> })
  return { title, body: <Sheet page={page} strings={strings} heading={title} lead={lead} button="page.verify_do" /> }
}

const ways = {
  dashboard: { href: '/dashboard', words: 'page.to_dashboard' },
  back: { href: '/dashboard/sign-in', words: 'page.recover_back' },
  recover: { href: '/dashboard/recover', words: 'page.recover_again' },
} as const

/** Heading, words, and the way on. */
const notices: Readonly<Record<Notice, readonly [MessageKey, MessageKey, (keyof typeof ways | 'sign-in')?]>> = {
  'setup-gone': ['page.gone', 'page.setup_gone'],
  'invite-gone': ['page.gone', 'page.invite_gone'],
  'invite-other': ['page.not_you', 'page.invite_other'],
  'signup-closed': ['page.signup_closed', 'page.signup_closed_text'],
  'recover-no-mail': ['page.forgotten', 'page.recover_no_mail', 'back'],
  'recover-sent': ['page.recover_sent', 'page.recover_sent_text', 'back'],
  'reset-done': ['page.reset_done', 'page.reset_done_text', 'sign-in'],
  'reset-gone': ['page.gone', 'page.reset_gone', 'recover'],
  'reset-gone-no-mail': ['page.gone', 'page.reset_gone_ask'],
  'verify-gone': ['page.gone', 'page.verify_gone'],
  'verify-other': ['page.not_you', 'page.verify_other'],
  'verify-taken': ['page.verify_taken', 'page.verify_taken_text'],
  verified: ['page.verify_done', 'page.verify_done_text'],
  'consent-gone': ['page.gone', 'page.consent_gone'],
  'claim-unknown': ['page.claim_unknown', 'page.claim_unknown_text'],
  'claim-other': ['page.not_you', 'page.claim_other'],
  claimed: ['page.claimed', 'page.claimed_text'],
  'claim-refused': ['page.claim_refused', 'page.claim_refused_text'],
  'claim-approved': ['page.claim_approved', 'page.claim_approved_text'],
}

const notice: Draw<'notice'> = ({ of, email }, page, strings) => {
  const [heading, words, way = 'dashboard'] = notices[of]
  const title = text(strings, heading)
  return {
    title,
    body: (
      <Alone page={page} strings={strings} heading={title}>
        <p>{filled(text(strings, words), { email: <bdi>{email}</bdi> })}</p>
        {way === 'sign-in' ? (
          <p>
            <a class={buttonClass('primary')} href="/dashboard/sign-in">
              {text(strings, 'page.sign_in')}
            </a>
          </p>
        ) : (
          <Way {...ways[way]} strings={strings} />
        )}
      </Alone>
    ),
  }
}

export const ofAccounts = { 'sign-in': signIn, 'set-up': setUp, invite, recover, reset, verify, notice }
