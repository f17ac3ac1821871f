// Starts the dashboard in the page that the server sent to a signed-in person.
import { render } from 'preact'
import { LocationProvider } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import './shell.css'
import './screens.css'
import './forms.css'
import './session.css'
import './set-up.css'
import './script.css'
import '../ui/poll.css'
import './live.css'
import './figures.css'
import './replay.css'
import './webhooks.css'
import { keepCsrf } from './data/api.ts'
import { accountQuery } from './data/queries.ts'
import { Routes } from './routes.tsx'
import { Shell } from './shell.tsx'
import { useQuery } from './data/use-query.ts'

/** Links below here are routes of this page; the sign-in, the room and the docs are pages of the server. */
const ours = /^\/dashboard(?!\/(?:sign-|recover))(?:[/?#]|$)/

function Dashboard() {
  const account = useQuery(accountQuery)
  if (account.data !== undefined) keepCsrf(account.data.csrf)
  useEffect(() => {
    // The shell comes in the language the browser asked for; the dashboard speaks English.
    document.documentElement.lang = 'en'
    document.documentElement.dir = 'ltr'
    document.documentElement.dataset['ready'] = ''
  }, [])
  return (
    <LocationProvider scope={ours}>
      <Shell>
        <Routes />
      </Shell>
    </LocationProvider>
  )
}

const root = document.getElementById('app')
if (root !== null) render(<Dashboard />, root)
