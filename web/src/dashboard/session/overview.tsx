// One session at a glance: what its status means, its link, its deck, its last runs, and its settings.
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Thread } from '../../ui/thread.tsx'
import { deckQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { SessionDetail } from '../data/wire.ts'
import { DeckStatus } from '../deck/deck-status.tsx'
import { absolute, plural } from '../parts/format.ts'
import { isLiveNow, SessionStatusWord } from '../parts/status.tsx'
import { TextSlide } from '../parts/text-slide.tsx'
import { LastRuns } from '../replay/last-runs.tsx'
import { RehearsalReport } from '../replay/rehearsal-report.tsx'
import { PresenterSettings } from './presenter-settings.tsx'
import { PublishButton } from './publish-button.tsx'
import { DeleteSession } from './session-actions.tsx'
import { noteLinkCopied, rehearse, unpublish } from './session-acts.ts'
import { SessionFrame } from './session-frame.tsx'
import { SessionSettings } from './session-settings.tsx'

export function Overview({ id }: { id: string }) {
  return (
    <SessionFrame
      id={id}
      tab="Overview"
      actions={(session) => (
        <>
          <Button onClick={() => void rehearse(session.id)}>Rehearse</Button>
          {session.status === 'published' ? (
            <Button onClick={() => void unpublish(session)}>Unpublish</Button>
          ) : (
            <PublishButton session={session} kind={session.deckState === 'none' ? 'plain' : 'primary'} />
          )}
          {session.deckState === 'none' && (
            <a class={buttonClass('primary')} href={`/dashboard/sessions/${session.id}/slides`}>
              Add slides
            </a>
          )}
        </>
      )}
    >
      {(session) => (
        <>
          <div class="overview">
            <Preview session={session} />
            <Standing session={session} />
          </div>
          <RehearsalReport id={session.id} hasSlides={session.slidesCount > 0} />
          <LastRuns id={session.id} />
          <PresenterSettings key={`presenter ${session.id}`} session={session} />
          <SessionSettings key={session.id} session={session} />
          <Removal session={session} />
        </>
      )}
    </SessionFrame>
  )
}

function Preview({ session }: { session: SessionDetail }) {
  const deck = useQuery({ ...deckQuery(session.id), enabled: session.deckState !== 'none' })
  const slides = deck.data?.slides ?? []
  const shown = slides[session.slideIndex ?? 0] ?? slides[0]
  return (
    <section class="preview" aria-label="Preview">
      <div class="stage">
        {shown === undefined ? (
          <p class="stage-empty">{session.deckState === 'none' ? 'No slides yet' : 'The slides are being read'}</p>
        ) : shown.imageUrl === undefined ? (
          <TextSlide title={shown.title} text={shown.textContent} />
        ) : (
          <img
            src={shown.imageUrl}
            alt={shown.title ?? `Slide ${shown.index + 1}`}
            width={shown.width ?? 1600}
            height={shown.height ?? 900}
          />
        )}
      </div>
      {slides.length > 0 && (
        <Thread
          count={slides.length}
          current={isLiveNow(session) ? (session.slideIndex ?? 0) : -1}
          progress={1}
          label={isLiveNow(session) ? `Slide ${(session.slideIndex ?? 0) + 1} of ${slides.length}` : plural(slides.length, 'slide')}
        />
      )}
      <DeckStatus session={session} deck={deck.data} />
    </section>
  )
}

function consequence(session: SessionDetail): string {
  if (isLiveNow(session)) return `${plural(session.attendeesOnline ?? 0, 'person', 'people')} in the room now.`
  if (session.status === 'draft') return 'The link does not work yet. Publishing makes the link work for anyone who has it.'
  const reach = session.discoverable ? 'Listed: everybody can find it.' : 'Link only: it works for anyone who has the link.'
  return `${reach} Unpublishing stops it; people in the room finish their talk.`
}

function Standing({ session }: { session: SessionDetail }) {
  const link = absolute(session.shareLink)
  return (
    <section class="standing" aria-label="Status and link">
      <div class="standing-status">
        <SessionStatusWord session={session} />
        <p class="muted">{consequence(session)}</p>
      </div>
      <div>
        <h2>Join link</h2>
        <a class="join-link" data-testid="join-link" href={link} target="_blank" rel="noopener">
          {link}
        </a>
        <div class="actions">
          <Copy dense value={link} label="Copy link" copiedLabel="Copied" failedLabel="Copy it by hand" onCopied={noteLinkCopied} />
          {session.status === 'published' && (
            <a class={buttonClass('plain', true)} href={link} target="_blank" rel="noopener">
              Open room
            </a>
          )}
          {isLiveNow(session) && (
            <a class={buttonClass('plain', true)} href={`/dashboard/sessions/${session.id}/live`}>
              Go to the live controls
            </a>
          )}
          <a href={`/dashboard/sessions/${session.id}/share`}>QR code and embedding</a>
        </div>
      </div>
    </section>
  )
}

function Removal({ session }: { session: SessionDetail }) {
  const { route } = useLocation()
  const [isAsking, setAsking] = useState(false)
  return (
    <section class="section removal" aria-labelledby="removal">
      <div>
        <h2 id="removal">Delete</h2>
        <p class="muted">Slides, knowledge, runs and leads go with it.</p>
      </div>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Delete session
      </Button>
      {isAsking && <DeleteSession session={session} onClose={() => setAsking(false)} onDone={() => route('/dashboard', true)} />}
    </section>
  )
}
