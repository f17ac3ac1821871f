// The signed-in person: name, password, and the browsers they are signed in with.
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import type { Column } from '../../ui/table.tsx'
import { Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useForm } from '../../ui/use-form.ts'
import { endSignIn, signInsQuery } from '../account-queries.ts'
import type { SignIn } from '../account-wire.ts'
import { roleWords } from '../account-wire.ts'
import { call, keepCsrf } from '../api.ts'
import { useFreshPassword } from '../fresh-password.ts'
import { refusedForm } from '../form-errors.ts'
import { Loaded } from '../loaded.tsx'
import { PageHead } from '../page.tsx'
import { accountQuery } from '../queries.ts'
import { SettingsTabs } from '../settings-tabs.tsx'
import { Time } from '../time.tsx'
import { orToast } from '../undoable.ts'
import { refresh, useQuery } from '../use-query.ts'
import type { Account as AccountRecord } from '../wire.ts'

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
              <Person account={found} />
              <Password />
              <SignIns />
            </>
          )}
        </Loaded>
      </div>
    </>
  )
}

function Person({ account }: { account: AccountRecord }) {
  const mayNameAccount = account.role !== 'member'
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ name = '', accountName = '' }) {
      const change = { name, ...(mayNameAccount ? { accountName } : {}) }
      await call('PATCH', '/api/v1/account', { body: change }).catch((error: unknown) => refusedForm(error))
      await refresh('account')
      showToast({ text: 'Changes saved.' })
    },
  })
  return (
    <section class="section-first" aria-labelledby="person">
      <h2 id="person">You</h2>
      <p class="muted">
        {account.user.email}, {roleWords[account.role].toLowerCase()} of <bdi>{account.account.name}</bdi>
      </p>
      <form class="form narrow" noValidate onSubmit={onSubmit}>
        <TextField label="Your name" name="name" defaultValue={account.user.name} required autocomplete="name" error={errors['name']} />
        {mayNameAccount && (
          <TextField label="Account name" name="accountName" defaultValue={account.account.name} required error={errors['accountName']} />
        )}
        {failure !== undefined && (
          <p class="note note-red" role="alert">
            {failure}
          </p>
        )}
        <div class="actions">
          <Button type="submit" busy={busy}>
            Save changes
          </Button>
        </div>
      </form>
    </section>
  )
}

function Password() {
  const fresh = useFreshPassword()
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ newPassword = '', password = '' }, form) {
      const body = { newPassword, ...(password === '' ? {} : { password }) }
      const { csrf } = await call<{ csrf: string }>('POST', '/api/v1/account/password', { body }).catch(fresh.refuse)
      keepCsrf(csrf)
      await Promise.all([refresh('account'), refresh('sign-ins')])
      form.reset()
      showToast({ text: 'Password changed. Other browsers are signed out.' })
    },
  })
  return (
    <section class="section" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <form class="form narrow" noValidate onSubmit={onSubmit}>
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
        {fresh.isNeeded && (
          <TextField
            label="Your present password"
            name="password"
            type="password"
            required
            autocomplete="current-password"
            autofocus
            error={errors['password']}
          />
        )}
        {failure !== undefined && (
          <p class="note note-red" role="alert">
            {failure}
          </p>
        )}
        <div class="actions">
          <Button type="submit" busy={busy}>
            Change password
          </Button>
        </div>
      </form>
    </section>
  )
}

const columns: readonly Column<SignIn>[] = [
  { name: 'label', head: 'Browser', rowHead: true, cell: (signIn) => <bdi>{signIn.label}</bdi> },
  { name: 'network', head: 'Network', cell: (signIn) => <code>{signIn.network}</code> },
  { name: 'since', head: 'Since', cell: (signIn) => <Time at={signIn.createdAt} /> },
  { name: 'seen', head: 'Last seen', cell: (signIn) => (signIn.isCurrent ? 'This browser' : <Time at={signIn.seenAt} />) },
  {
    name: 'acts',
    head: 'Acts',
    hideHead: true,
    cell: (signIn) =>
      signIn.isCurrent ? null : (
        <div class="cell-actions">
          <Button kind="quiet" dense aria-label={`Sign out ${signIn.label}`} onClick={() => void orToast(endSignIn(signIn.id))}>
            Sign out
          </Button>
        </div>
      ),
  },
]

function SignIns() {
  const signIns = useQuery(signInsQuery)
  return (
    <section class="section" aria-labelledby="sign-ins">
      <h2 id="sign-ins">Where you are signed in</h2>
      <Loaded query={signIns} rows={2}>
        {(all) => <Table caption="Sign-ins" columns={columns} rows={all} rowKey={({ id }) => id} />}
      </Loaded>
    </section>
  )
}
