// Who is signed in, the theme, and the way out.
import { useState } from 'preact/hooks'
import type { MenuItem } from '../ui/menu.tsx'
import { Menu } from '../ui/menu.tsx'
import { switchAccount } from './account/account-queries.ts'
import { accountQuery } from './data/queries.ts'
import type { Theme } from './theme.ts'
import { currentTheme, setTheme } from './theme.ts'
import { orToast } from './data/undoable.ts'
import { useQuery } from './data/use-query.ts'
import type { Account } from './data/wire.ts'

const themes: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'Theme of the system' },
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
]

export function AccountMenu() {
  const { data } = useQuery(accountQuery)
  const [theme, choose] = useState(currentTheme)
  return (
    <>
      <p class="account-who">
        <bdi class="account-name">{data?.user.name}</bdi>
        <bdi class="account-of">{data?.account.name}</bdi>
      </p>
      <Menu
        label="Account"
        items={[
          ...themes.map(({ value, label }) => ({
            label,
            checked: theme === value,
            onSelect() {
              setTheme(value)
              choose(value)
            },
          })),
          ...otherAccounts(data),
          { label: 'Password and sign-ins', href: '/dashboard/settings/account' },
          { label: 'Sign out', onSelect: () => data !== undefined && signOut(data) },
        ]}
      />
    </>
  )
}

/** A person with several accounts chooses the one to work in. */
function otherAccounts(data: Account | undefined): MenuItem[] {
  if (data === undefined || data.accounts.length < 2) return []
  return data.accounts.map(({ id, name }) => {
    const isHere = id === data.account.id
    return { label: `Work in ${name}`, checked: isHere, onSelect: () => void (isHere || orToast(switchAccount(id))) }
  })
}

/** A real form post: the server ends the sign-in and sends the browser on. */
function signOut({ csrf }: Account): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = '/dashboard/sign-out'
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'csrf'
  field.value = csrf
  form.append(field)
  document.body.append(form)
  form.submit()
}
