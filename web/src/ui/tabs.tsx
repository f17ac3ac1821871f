// Tabs that are links (dashboard), and a two-way switch of one panel (room).
import { ChevronDown } from 'lucide'
import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'

export interface TabLink {
  href: string
  label: string
  current: boolean
  count?: number | undefined
  /** Of many: a phone has it behind the last tab, so that they stay in one row. */
  behind?: boolean | undefined
}

export function Tabs({ label, items }: { label: string; items: readonly TabLink[] }) {
  const behind = items.filter((item) => item.behind)
  const more = behind.find(({ current }) => current)?.label
  return (
    <nav class="tabs" aria-label={label}>
      {items.map((item) => (
        <a key={item.href} class={item.behind ? 'tab tab-behind' : 'tab'} href={item.href} aria-current={item.current ? 'page' : undefined}>
          {item.label}
          {item.count !== undefined && <span class="tab-count">{item.count}</span>}
        </a>
      ))}
      {behind.length > 0 && (
        <span class={more === undefined ? 'tab-more' : 'tab-more tab-more-current'}>
          <Menu label={more ?? 'More'} items={behind}>
            {more ?? 'More'}
            <Icon of={ChevronDown} />
          </Menu>
        </span>
      )}
    </nav>
  )
}

export interface SwitchTab {
  id: string
  label: string
  count?: number | undefined
}

export interface TabSwitchProps {
  label: string
  tabs: readonly SwitchTab[]
  current: string
  onChange: (id: string) => void
  panelId: string
}

/** `role=tablist`: arrows move and choose, one tab stop. */
export function TabSwitch({ label, tabs, current, onChange, panelId }: TabSwitchProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const list = event.currentTarget
    if (!(list instanceof HTMLElement)) return
    event.preventDefault()
    event.stopPropagation()
    const forward = (event.key === 'ArrowRight') === (getComputedStyle(list).direction === 'ltr')
    const at = tabs.findIndex((tab) => tab.id === current)
    const next = tabs[(at + (forward ? 1 : -1) + tabs.length) % tabs.length]
    if (next === undefined) return
    onChange(next.id)
    list.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          class="tab"
          role="tab"
          data-tab={tab.id}
          aria-selected={tab.id === current}
          aria-controls={panelId}
          tabIndex={tab.id === current ? 0 : -1}
          onClick={() => onChange(tab.id)}
        >
          {tab.label}
          {tab.count !== undefined && <span class="tab-count">{tab.count}</span>}
        </button>
      ))}
    </div>
  )
}
