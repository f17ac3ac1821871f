// Everything a host sets once: who presents, what the talk is called, how it starts, and its end.
import { useLocation } from 'preact-iso/router'
import { BrandOfSession } from '../account/brand.tsx'
import type { SessionDetail } from '../data/wire.ts'
import { PresenterForm } from './presenter-form.tsx'
import { DeleteSession } from './session-actions.tsx'
import { SessionFrame } from './session-frame.tsx'
import { SessionSettings } from './session-settings.tsx'
import { OpenButton } from '../parts/open-button.tsx'

export function Settings({ id }: { id: string }) {
  return (
    <SessionFrame id={id} tab="Settings">
      {(session) => (
        <>
          <SessionSettings key={session.id} session={session} />
          <section class="section" aria-labelledby="presenter">
            <h2 id="presenter">Presenter</h2>
            <PresenterForm key={session.id} session={session} />
          </section>
          <section class="section" aria-labelledby="brand">
            <h2 id="brand">Brand</h2>
            <p class="muted">
              Of this talk alone; what is left empty is as <a href="/dashboard/settings/account#brand">the account has it</a>.
            </p>
            <BrandOfSession key={session.id} session={session} />
          </section>
          <Removal session={session} />
        </>
      )}
    </SessionFrame>
  )
}

function Removal({ session }: { session: SessionDetail }) {
  const { route } = useLocation()
  return (
    <section class="section removal" aria-labelledby="removal">
      <div>
        <h2 id="removal">Delete</h2>
        <p class="muted">Slides, knowledge, runs and leads go with it.</p>
      </div>
      <OpenButton
        kind="danger"
        opens={(onClose) => <DeleteSession session={session} onClose={onClose} onDone={() => route('/dashboard', true)} />}
      >
        Delete session
      </OpenButton>
    </section>
  )
}
