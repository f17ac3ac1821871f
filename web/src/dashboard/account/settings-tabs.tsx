// The parts of Settings.
import { Tabs } from '../../ui/tabs.tsx'

const parts = [
  { href: '/dashboard/settings', label: 'API keys', behind: false },
  { href: '/dashboard/settings/account', label: 'Account', behind: false },
  { href: '/dashboard/settings/apps', label: 'Connected apps', behind: true },
  { href: '/dashboard/settings/members', label: 'Members', behind: false },
  { href: '/dashboard/settings/audit', label: 'Audit log', behind: true },
  { href: '/dashboard/settings/usage', label: 'Usage', behind: true },
] as const

export type SettingsPart = (typeof parts)[number]['label']

export function SettingsTabs({ current }: { current: SettingsPart }) {
  return <Tabs label="Parts of the settings" items={parts.map((part) => ({ ...part, current: part.label === current }))} />
}
