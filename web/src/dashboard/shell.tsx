// The frame around every screen: rail (top bar on a narrow window), the signed-out notice, toasts and the command palette.
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useState } from 'preact/hooks'
import { ToastRegion } from '../ui/toast.tsx'
import { AccountMenu } from './account-menu.tsx'
import { whenSignedOut } from './data/api.ts'
import { BudgetNotice } from './account/budget-notice.tsx'
import { LazyPalette } from './lazy-palette.tsx'
import { accountQuery } from './data/queries.ts'
import { cache } from './data/use-query.ts'

const places = [
  { href: '/dashboard', label: 'Sessions', owns: ['/dashboard/sessions'] },
  { href: '/dashboard/leads', label: 'Leads', owns: [] },
  { href: '/dashboard/analytics', label: 'Analytics', owns: [] },
  { href: '/dashboard/webhooks', label: 'Webhooks', owns: ['/dashboard/webhooks/'] },
  { href: '/dashboard/agents', label: 'Agents', owns: [] },
  { href: '/dashboard/settings', label: 'Settings', owns: ['/dashboard/settings/'] },
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
          Rostrum
        </a>
        <nav class="places" aria-label="Dashboard">
          {places.map((place) => (
            <a key={place.href} class="place" href={place.href} aria-current={isCurrent(place) ? 'page' : undefined}>
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
