// Every address of the dashboard and the screen behind it; screens are chunks of their own, fetched when first opened.
import lazy, { ErrorBoundary } from 'preact-iso/lazy'
import { Route, Router } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { Failed } from './loaded.tsx'
import { NotFound } from './screens/not-found.tsx'
import { Sessions } from './screens/sessions.tsx'

const NewSession = lazy(() => import('./screens/new-session.tsx').then((module) => module.NewSession))
const Overview = lazy(() => import('./screens/overview.tsx').then((module) => module.Overview))
const Slides = lazy(() => import('./screens/slides.tsx').then((module) => module.Slides))
const Knowledge = lazy(() => import('./screens/knowledge.tsx').then((module) => module.Knowledge))
const Live = lazy(() => import('./screens/live.tsx').then((module) => module.Live))
const Questions = lazy(() => import('./screens/questions.tsx').then((module) => module.Questions))
const RunReplay = lazy(() => import('./screens/run-replay.tsx').then((module) => module.RunReplay))
const TranscriptSearch = lazy(() => import('./screens/transcript-search.tsx').then((module) => module.TranscriptSearch))
const SessionAnalytics = lazy(() => import('./screens/session-analytics.tsx').then((module) => module.SessionAnalytics))
const SessionLeads = lazy(() => import('./screens/session-leads.tsx').then((module) => module.SessionLeads))
const Share = lazy(() => import('./screens/share.tsx').then((module) => module.Share))
const AllLeads = lazy(() => import('./screens/all-leads.tsx').then((module) => module.AllLeads))
const AllAnalytics = lazy(() => import('./screens/all-analytics.tsx').then((module) => module.AllAnalytics))
const Keys = lazy(() => import('./screens/keys.tsx').then((module) => module.Keys))
const Webhooks = lazy(() => import('./screens/webhooks.tsx').then((module) => module.Webhooks))
const Endpoint = lazy(() => import('./screens/endpoint.tsx').then((module) => module.Endpoint))
const Agents = lazy(() => import('./screens/agents.tsx').then((module) => module.Agents))
const Account = lazy(() => import('./screens/account.tsx').then((module) => module.Account))
const Apps = lazy(() => import('./screens/apps.tsx').then((module) => module.Apps))
const Audit = lazy(() => import('./screens/audit.tsx').then((module) => module.Audit))
const Members = lazy(() => import('./screens/members.tsx').then((module) => module.Members))
const Usage = lazy(() => import('./screens/usage.tsx').then((module) => module.Usage))

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
        <Route path="/dashboard/sessions/:id/slides" component={Slides} />
        <Route path="/dashboard/sessions/:id/knowledge" component={Knowledge} />
        <Route path="/dashboard/sessions/:id/live" component={Live} />
        <Route path="/dashboard/sessions/:id/questions" component={Questions} />
        <Route path="/dashboard/sessions/:id/runs/:runId" component={RunReplay} />
        <Route path="/dashboard/sessions/:id/transcripts" component={TranscriptSearch} />
        <Route path="/dashboard/sessions/:id/analytics" component={SessionAnalytics} />
        <Route path="/dashboard/sessions/:id/leads" component={SessionLeads} />
        <Route path="/dashboard/sessions/:id/share" component={Share} />
        <Route path="/dashboard/leads" component={AllLeads} />
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
