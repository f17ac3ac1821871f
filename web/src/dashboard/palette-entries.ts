// What the command palette finds, and by what words.

export interface Entry {
  label: string
  kind: string
  /** Whose or where, in small; it is found by these words too. */
  of?: string
  /** Of an act: where it leads, where it leads anywhere. */
  href?: string
  act?: () => void
}

export const screens: readonly Entry[] = [
  { label: 'New session', kind: 'Create', href: '/dashboard/sessions/new' },
  { label: 'Sessions', kind: 'Go to', href: '/dashboard' },
  { label: 'People', kind: 'Go to', href: '/dashboard/people' },
  { label: 'Analytics', kind: 'Go to', href: '/dashboard/analytics' },
  { label: 'Webhooks', kind: 'Go to', href: '/dashboard/webhooks' },
  { label: 'Agents', kind: 'Go to', href: '/dashboard/agents' },
  { label: 'Settings: API keys', kind: 'Go to', href: '/dashboard/settings' },
  { label: 'Settings: account and password', kind: 'Go to', href: '/dashboard/settings/account' },
  { label: 'Settings: members', kind: 'Go to', href: '/dashboard/settings/members' },
  { label: 'Settings: usage', kind: 'Go to', href: '/dashboard/settings/usage' },
]

/** Entries that hold every word typed, screens first, at most twelve. */
export function matching(entries: readonly Entry[], typed: string): readonly Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return entries
    .filter(({ label, kind, of = '' }) => words.every((word) => `${kind} ${label} ${of}`.toLowerCase().includes(word)))
    .slice(0, 12)
}
