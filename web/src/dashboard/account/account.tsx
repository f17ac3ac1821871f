// The signed-in person: name, the brand of the account, email address, password, and the browsers they are signed in with.
import { useState } from 'preact/hooks'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { FieldsRefused, useForm } from '../../ui/use-form.ts'
import { call, keepCsrf } from '../data/api.ts'
import { accountQuery, mailChoicesQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import type { Account as AccountRecord, MailChoices } from '../data/wire.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { FormFoot } from '../parts/form-foot.tsx'
import { FreshPasswordField, passwordOf, useFreshPassword } from '../parts/fresh-password.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { BrandOfAccount } from './brand.tsx'
import { roleWords } from './account-wire.ts'
import { SettingsTabs } from './settings-tabs.tsx'
import { SignIns } from './sign-ins.tsx'

export function Account() {
  const account = useQuery(accountQuery)
  return (
    <>
      <PageHead title="Settings" tab="Account" />
      <SettingsTabs current="Account" />
      <div class="tab-body">
        <Loaded query={account}>
          {(found) => (
            <>
              <div class="section-first halves">
                <Person account={found} />
                <MailChoice />
              </div>
              {found.role !== 'member' && <BrandOfAccount />}
              <div class="section halves">
                <Password email={found.user.email} />
                {found.sendsMail && <Email account={found} />}
              </div>
              <SignIns />
            </>
          )}
        </Loaded>
      </div>
    </>
  )
}

/** Which mails of the account come to this person. */
function MailChoice() {
  const { data } = useQuery(mailChoicesQuery)
  if (data === undefined) return null
  const choose = (change: Partial<Pick<MailChoices, 'leads' | 'questions'>>) =>
    void orToast(call('update_mail_choices', change).then(() => refresh('mails')))
  return (
    <section class="account-part" aria-labelledby="mails">
      <h2 id="mails">Mails to you</h2>
      {!data.canMail && (
        <p class="note note-amber">
          No mails leave this service. Its operator sets <code>ROSTRUM_SMTP_URL</code>.
        </p>
      )}
      <Checkbox name="leads" label="When people leave their details" defaultChecked={data.leads} onChange={(leads) => choose({ leads })} />
      <Checkbox
        name="questions"
        label="Once a day, questions that a deck did not answer"
        defaultChecked={data.questions}
        onChange={(questions) => choose({ questions })}
      />
    </section>
  )
}

function Person({ account }: { account: AccountRecord }) {
  const mayNameAccount = account.role !== 'member'
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ name = '', accountName = '' }) {
      const change = { name, ...(mayNameAccount ? { accountName } : {}) }
      await call('update_account', change).catch((error: unknown) => refusedForm(error))
      await refresh('account')
      showToast({ text: 'Changes saved.' })
    },
  })
  return (
    <section class="account-part" aria-labelledby="person">
      <h2 id="person">You</h2>
      <p class="muted">
        {account.user.email}, {roleWords[account.role].toLowerCase()} of <bdi>{account.account.name}</bdi>
      </p>
      <form class="form" noValidate onSubmit={onSubmit}>
        <TextField label="Your name" name="name" defaultValue={account.user.name} required autocomplete="name" error={errors['name']} />
        {mayNameAccount && (
          <TextField label="Account name" name="accountName" defaultValue={account.account.name} required error={errors['accountName']} />
        )}
        <FormFoot isInPage failure={failure} busy={busy} act="Save changes" />
      </form>
    </section>
  )
}

/** The new address counts once the link that goes to it was opened. */
function Email({ account }: { account: AccountRecord }) {
  const fresh = useFreshPassword()
  const [told, setTold] = useState<string>()
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ email = '', password }, form) {
      const wish = { email, ...passwordOf(password) }
      const { mail } = await call('change_email', wish).catch(fresh.refuse)
      if (mail === 'refused') throw new FieldsRefused('', { email: 'The mail server refused this address.' })
      form.reset()
      setTold(`A link is on its way to ${email}. Open it in this browser; until then you sign in with ${account.user.email}.`)
    },
  })
  return (
    <section class="account-part" aria-labelledby="email">
      <h2 id="email">Email address</h2>
      {told !== undefined && (
        <p class="note" role="status">
          {told}
        </p>
      )}
      <form class="form" noValidate onSubmit={onSubmit}>
        <TextField
          label="New email address"
          name="email"
          type="email"
          required
          autocomplete="email"
          hint="You confirm it by a link that goes there."
          error={errors['email']}
        />
        <FreshPasswordField isNeeded={fresh.isNeeded} error={errors['password']} />
        <FormFoot isInPage failure={failure} busy={busy} act="Send link" />
      </form>
    </section>
  )
}

function Password({ email }: { email: string }) {
  const fresh = useFreshPassword()
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ newPassword = '', password }, form) {
      const wish = { newPassword, ...passwordOf(password) }
      const { csrf } = await call('set_password', wish).catch(fresh.refuse)
      keepCsrf(csrf)
      await Promise.all([refresh('account'), refresh('sign-ins')])
      form.reset()
      showToast({ text: 'Password changed. Other browsers are signed out.' })
    },
  })
  return (
    <section class="account-part" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <form class="form" noValidate onSubmit={onSubmit}>
        {/* Keepers of passwords ask whose it is. */}
        <input type="text" autocomplete="username" value={email} hidden readOnly />
        <TextField
          label="New password"
          name="newPassword"
          type="password"
          required
          minLength={12}
          autocomplete="new-password"
          hint="12 characters or more. Changing it signs you out everywhere else."
          error={errors['newPassword']}
        />
        <FreshPasswordField isNeeded={fresh.isNeeded} error={errors['password']} />
        <FormFoot isInPage failure={failure} busy={busy} act="Change password" />
      </form>
    </section>
  )
}
