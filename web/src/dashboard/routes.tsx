// Every address of the dashboard and the screen behind it; screens are chunks of their own, fetched when first opened.
import type { ComponentType } from 'preact'
import lazy, { ErrorBoundary } from 'preact-iso/lazy'
import { Route, Router } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { Failed } from './parts/loaded.tsx'
import { PageHead } from './parts/page.tsx'
import { NotFound } from './session/not-found.tsx'
import { Sessions } from './session/sessions.tsx'

/** Where its file cannot be had, the network is away or the service newer than this page: loaded anew it knows the new one. */
const screen = <Props,>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> => lazy(() => load().catch(() => Unreachable))
const Unreachable = () => (
  <>
    <PageHead title="This page did not arrive" lead="The network is away, or the service is newer than what this window knows of it." />
    <Button onClick={() => location.reload()}>Try again</Button>
  </>
)

const NewSession = screen(() => import('./session/new-session.tsx').then((module) => module.NewSession))
const Overview = screen(() => import('./session/overview.tsx').then((module) => module.Overview))
const SetUp = screen(() => import('./session/set-up.tsx').then((module) => module.SetUp))
const SessionSettings = screen(() => import('./session/settings.tsx').then((module) => module.Settings))
const Slides = screen(() => import('./deck/slides.tsx').then((module) => module.Slides))
const Script = screen(() => import('./script/script.tsx').then((module) => module.Script))
const Knowledge = screen(() => import('./answers/knowledge.tsx').then((module) => module.Knowledge))
const Live = screen(() => import('./live/live.tsx').then((module) => module.Live))
const Questions = screen(() => import('./answers/questions.tsx').then((module) => module.Questions))
const RunReplay = screen(() => import('./replay/run-replay.tsx').then((module) => module.RunReplay))
const TranscriptSearch = screen(() => import('./replay/transcript-search.tsx').then((module) => module.TranscriptSearch))
const SessionAnalytics = screen(() => import('./audience/session-analytics.tsx').then((module) => module.SessionAnalytics))
const SessionPeople = screen(() => import('./audience/session-people.tsx').then((module) => module.SessionPeople))
const Share = screen(() => import('./session/share.tsx').then((module) => module.Share))
const AllPeople = screen(() => import('./audience/all-people.tsx').then((module) => module.AllPeople))
const AllAnalytics = screen(() => import('./audience/all-analytics.tsx').then((module) => module.AllAnalytics))
const Keys = screen(() => import('./account/keys.tsx').then((module) => module.Keys))
const Webhooks = screen(() => import('./webhooks/webhooks.tsx').then((module) => module.Webhooks))
const Endpoint = screen(() => import('./webhooks/endpoint.tsx').then((module) => module.Endpoint))
const Agents = screen(() => import('./account/agents.tsx').then((module) => module.Agents))
const Account = screen(() => import('./account/account.tsx').then((module) => module.Account))
const Apps = screen(() => import('./account/apps.tsx').then((module) => module.Apps))
const Audit = screen(() => import('./account/audit.tsx').then((module) => module.Audit))
const Members = screen(() => import('./account/members.tsx').then((module) => module.Members))
const Usage = screen(() => import('./account/usage.tsx').then((module) => module.Usage))

export function Routes() {
  const [error, setError] = useState<Error>()
  if (error !== undefined) return <Failed error={error} onRetry={() => location.reload()} />
  return (
    <ErrorBoundary onError={setError}>
      <Router>
        <Route path="/dashboard" component={Sessions} />
        <Route path="/dashboard/sessions" component={Sessions} />
        <Route path="/dashboard/sessions/new" component={NewSession} />
        <Route path="/dashboard/sessions/:id" component={Overview} />
        <Route path="/dashboard/sessions/:id/set-up" component={SetUp} />
        <Route path="/dashboard/sessions/:id/settings" component={SessionSettings} />
        <Route path="/dashboard/sessions/:id/slides" component={Slides} />
        <Route path="/dashboard/sessions/:id/script" component={Script} />
        <Route path="/dashboard/sessions/:id/knowledge" component={Knowledge} />
        <Route path="/dashboard/sessions/:id/live" component={Live} />
        <Route path="/dashboard/sessions/:id/questions" component={Questions} />
        <Route path="/dashboard/sessions/:id/runs/:runId" component={RunReplay} />
        <Route path="/dashboard/sessions/:id/transcripts" component={TranscriptSearch} />
        <Route path="/dashboard/sessions/:id/analytics" component={SessionAnalytics} />
        <Route path="/dashboard/sessions/:id/people" component={SessionPeople} />
        <Route path="/dashboard/sessions/:id/leads" component={SessionPeople} />
        <Route path="/dashboard/sessions/:id/share" component={Share} />
        <Route path="/dashboard/people" component={AllPeople} />
        <Route path="/dashboard/leads" component={AllPeople} />
        <Route path="/dashboard/analytics" component={AllAnalytics} />
        <Route path="/dashboard/webhooks" component={Webhooks} />
        <Route path="/dashboard/webhooks/:id" component={Endpoint} />
        <Route path="/dashboard/settings" component={Keys} />
        <Route path="/dashboard/agents" component={Agents} />
        <Route path="/dashboard/settings/account" component={Account} />
        <Route path="/dashboard/settings/apps" component={Apps} />
        <Route path="/dashboard/settings/audit" component={Audit} />
        <Route path="/dashboard/settings/members" component={Members} />
        <Route path="/dashboard/settings/usage" component={Usage} />
        <Route default component={NotFound} />
      </Router>
    </ErrorBoundary>
  )
}
