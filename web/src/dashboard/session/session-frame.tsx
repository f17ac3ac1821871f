// What every screen of one session shares: way back, title, status, tabs; and the same words when there is no such session.
import type { ComponentChildren } from 'preact'
import { Tabs } from '../../ui/tabs.tsx'
import { Problem } from '../data/api.ts'
import { deckQuery, sessionQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { SessionDetail } from '../data/wire.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { SessionStatusWord } from '../parts/status.tsx'
import { Thumb } from '../parts/thumb.tsx'
import { NotFound } from './not-found.tsx'

const tabs = [
  { rest: '', label: 'Overview', behind: false },
  { rest: '/slides', label: 'Slides', behind: true },
  { rest: '/script', label: 'Script', behind: true },
  { rest: '/knowledge', label: 'Background', behind: true },
  { rest: '/live', label: 'Live', behind: false },
  { rest: '/questions', label: 'Questions', behind: false },
  { rest: '/people', label: 'People', behind: false },
  { rest: '/analytics', label: 'Analytics', behind: true },
  { rest: '/share', label: 'Share', behind: true },
  { rest: '/settings', label: 'Settings', behind: true },
] as const

export type SessionTab = (typeof tabs)[number]['label']

export interface SessionFrameProps {
  id: string
  tab: SessionTab
  /** Acts beside the title; at most one primary button. */
  actions?: (session: SessionDetail) => ComponentChildren
  children: (session: SessionDetail) => ComponentChildren
}

export function SessionFrame({ id, tab, actions, children }: SessionFrameProps) {
  const query = useQuery(sessionQuery(id))
  const first = useQuery(deckQuery(id)).data?.slides[0]
  if (query.error instanceof Problem && query.error.status === 404) return <NotFound />
  return (
    <>
      <PageHead
        title={query.data?.title ?? 'Session'}
        tab={tab}
        thumb={tab === 'Overview' ? undefined : <Thumb src={first?.imageUrl} title={first?.title} text={first?.textContent} />}
        above={
          <p class="crumb">
            <a href="/dashboard">Sessions</a>
            {query.data !== undefined && tab !== 'Overview' && <SessionStatusWord session={query.data} />}
          </p>
        }
        actions={query.data !== undefined && actions?.(query.data)}
      />
      <Tabs
        label="Parts of the session"
        items={tabs.map(({ rest, label, behind }) => ({ href: `/dashboard/sessions/${id}${rest}`, label, current: label === tab, behind }))}
      />
      <div class="tab-body">
        <Loaded query={query} rows={6} {...(tab === 'Overview' && { shape: 'home' })}>
          {children}
        </Loaded>
      </div>
    </>
  )
}
