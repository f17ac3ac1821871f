// The parts of Settings.
import { Tabs } from '../../ui/tabs.tsx'

const parts = [
  { href: '/dashboard/settings', label: 'API keys' },
  { href: '/dashboard/settings/account', label: 'Account' },
  { href: '/dashboard/settings/apps', label: 'Connected apps' },
  { href: '/dashboard/settings/members', label: 'Members' },
  { href: '/dashboard/settings/audit', label: 'Audit log' },
  { href: '/dashboard/settings/usage', label: 'Usage' },
] as const

export type SettingsPart = (typeof parts)[number]['label']

export function SettingsTabs({ current }: { current: SettingsPart }) {
  return <Tabs label="Parts of the settings" items={parts.map((part) => ({ ...part, current: part.label === current }))} />
}
