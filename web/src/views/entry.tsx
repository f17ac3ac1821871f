// The one bundle of the five MCP-App views (spec 4.5): `data-view` of the page says which one it is.
import type { FunctionComponent } from 'preact'
import { render } from 'preact'
import './views.css'
import { Analytics } from './analytics.tsx'
import type { Bridge } from './bridge.ts'
import { connect } from './bridge.ts'
import { Create } from './create.tsx'
import { browserFrame } from './frame.ts'
import { Leads } from './leads.tsx'
import { List } from './list.tsx'
import { Preview } from './preview.tsx'
import { wear } from './theme.ts'

const views: Readonly<Record<string, FunctionComponent<{ bridge: Bridge }>>> = {
  'sessions/create': Create,
  'sessions/list': List,
  'sessions/preview': Preview,
  analytics: Analytics,
  leads: Leads,
}

const View = views[document.documentElement.dataset['view'] ?? '']
if (View !== undefined) {
  const bridge = connect(browserFrame())
  let { context } = bridge.state()
  bridge.subscribe(() => {
    const { context: now } = bridge.state()
    if (now !== context) wear(now)
    context = now
  })
  render(<View bridge={bridge} />, document.body)
}
