// The frame around every screen: rail (top bar on a narrow window), the signed-out notice, toasts and the command palette.
import { Bot, ChartNoAxesColumn, Presentation, Settings, Users, Webhook } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../ui/icon.tsx'
import { ToastRegion } from '../ui/toast.tsx'
import { AccountMenu } from './account-menu.tsx'
import { whenSignedOut } from './data/api.ts'
import { BudgetNotice } from './account/budget-notice.tsx'
import { LazyPalette } from './lazy-palette.tsx'
import { accountQuery } from './data/queries.ts'
import { cache } from './data/use-query.ts'

const places = [
  { href: '/dashboard', label: 'Sessions', icon: Presentation, owns: ['/dashboard/sessions'] },
  { href: '/dashboard/people', label: 'People', icon: Users, owns: ['/dashboard/leads'] },
  { href: '/dashboard/analytics', label: 'Analytics', icon: ChartNoAxesColumn, owns: [] },
  { href: '/dashboard/webhooks', label: 'Webhooks', icon: Webhook, owns: ['/dashboard/webhooks/'] },
  { href: '/dashboard/agents', label: 'Agents', icon: Bot, owns: [] },
  { href: '/dashboard/settings', label: 'Settings', icon: Settings, owns: ['/dashboard/settings/'] },
] as const

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation()
  const isCurrent = (place: (typeof places)[number]) => path === place.href || place.owns.some((owned) => path.startsWith(owned))
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="rail">
        <a class="wordmark" href="/dashboard">
          <img src="/favicon.svg" alt="" width={20} height={20} />
          Rostrum
        </a>
        <nav class="places" aria-label="Dashboard">
          {places.map((place) => (
            <a key={place.href} class="place" href={place.href} aria-current={isCurrent(place) ? 'page' : undefined}>
              <Icon of={place.icon} />
              {place.label}
            </a>
          ))}
        </nav>
        <div class="rail-foot">
          <LazyPalette />
          <AccountMenu />
        </div>
      </header>
      <main id="main" class="main" tabIndex={-1}>
        <SignedOutNotice />
        <BudgetNotice />
        {children}
      </main>
      <ToastRegion label="Notices" />
    </div>
  )
}

function SignedOutNotice() {
  const [isOut, setOut] = useState(false)
  useEffect(() => whenSignedOut(() => setOut(true)), [])
  useEffect(() => {
    if (!isOut) return
    // Back from the other tab: everything that failed is read again.
    const look = async () => {
      // A look that began before the sign-in would answer for this one.
      await cache.cancelQueries()
      await cache.fetchQuery({ ...accountQuery, staleTime: 0 })
      setOut(false)
      await cache.invalidateQueries()
    }
    const onFocus = () => void look().catch(() => undefined)
    addEventListener('focus', onFocus)
    return () => removeEventListener('focus', onFocus)
  }, [isOut])
  if (!isOut) return null
  return (
    <p class="note note-amber" role="alert">
      You are signed out. What you typed is still on this page.{' '}
      <a href="/dashboard/sign-in" target="_blank" rel="noopener">
        Sign in in a new tab
      </a>
    </p>
  )
}
