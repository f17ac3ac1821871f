// From slides to a published talk, in three steps on one address: what was read, how it sounds and answers, and the checks before it opens.
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { deckQuery, scriptQuery, sessionQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { Deck, SessionDetail } from '../data/wire.ts'
import { DeckStatus, isBeingRead } from '../deck/deck-status.tsx'
import { ReplaceDeck } from '../deck/replace-deck.tsx'
import { plural } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { SlideOf } from '../parts/text-slide.tsx'
import { languageName, languagesWith } from '../data/languages.ts'
import { JoinLink } from './overview.tsx'
import { PublishForm } from './publish-form.tsx'
import { save } from './session-acts.ts'
import { SetUpSteps } from './set-up-steps.tsx'
import { Meanwhile, SoundAndAnswers } from './sound-and-answers.tsx'

export function SetUp({ id }: { id: string }) {
  const step = Number(useLocation().query['step'] ?? 1)
  const session = useQuery(sessionQuery(id))
  return (
    <>
      <PageHead
        key={step}
        title={session.data?.title ?? 'New session'}
        tab={['Slides', 'Sound and answers', 'Publish'][step - 1] ?? 'Slides'}
        above={
          <p class="crumb">
            <a href="/dashboard">Sessions</a>
            <a href={`/dashboard/sessions/${id}`}>{session.data?.status === 'published' ? 'To the talk' : 'Finish later'}</a>
          </p>
        }
      />
      <SetUpSteps current={step} id={id} isEmpty={session.data?.slidesCount === 0} isPublished={session.data?.status === 'published'} />
      <Loaded query={session} rows={6}>
        {(found) =>
          step === 3 ? <PublishStep session={found} /> : step === 2 ? <SoundAndAnswers session={found} /> : <Pages session={found} />
        }
      </Loaded>
    </>
  )
}

function Pages({ session }: { session: SessionDetail }) {
  const deck = useQuery(deckQuery(session.id)).data
  const [isReplacing, setReplacing] = useState(false)
  const isRead = deck?.state === 'ready'
  const isReading = isBeingRead(deck)
  // How many there are is known with the first of them.
  const total = Math.max(deck?.progress.total ?? 0, deck?.slides.length ?? 0) || (isReading ? 10 : 0)
  return (
    <div class="set-up">
      <div class="set-up-fields">
        <TextField
          key={session.title}
          label="Title"
          name="title"
          defaultValue={session.title}
          required
          maxLength={200}
          onChange={({ currentTarget: { value } }) => value.trim() !== '' && void save(session, { title: value.trim() })}
        />
        <Select
          label="Language"
          name="language"
          value={session.languageFrom === 'host' ? session.language : ''}
          options={[{ value: '', label: `As in the slides: ${languageName(session.language)}` }, ...languagesWith(session.language)]}
          onChange={({ currentTarget: { value } }) => void save(session, { language: value || null })}
        />
      </div>
      <div class={isReading ? 'note' : undefined}>
        <DeckStatus session={session} deck={deck} onReplace={() => setReplacing(true)} />
        {isReading && <Meanwhile>Pages appear here as they are read.</Meanwhile>}
      </div>
      <ol class="pages" aria-label="Pages">
        {Array.from({ length: total }, (_, index) => (
          <Page key={index} index={index} deck={deck} />
        ))}
      </ol>
      <div class="actions set-up-foot">
        {deck !== undefined && deck.state !== 'none' ? (
          <a class={buttonClass(isRead ? 'primary' : 'plain')} href={`/dashboard/sessions/${session.id}/set-up?step=2`}>
            Continue
          </a>
        ) : (
          <Button kind="primary" onClick={() => setReplacing(true)}>
            Add slides
          </Button>
        )}
        {isRead && <Button onClick={() => setReplacing(true)}>Replace deck</Button>}
      </div>
      {isReplacing && <ReplaceDeck id={session.id} isFirst={session.slidesCount === 0} onClose={() => setReplacing(false)} />}
    </div>
  )
}

function Page({ index, deck }: { index: number; deck: Deck | undefined }) {
  const slide = deck?.slides[index]
  const warnings = deck?.warnings.filter(({ slideIndex }) => slideIndex === index) ?? []
  return (
    <li class={warnings.length > 0 ? 'page page-warned' : 'page'} data-testid="slide-thumb">
      <SlideOf slide={slide} empty={`${index + 1}`} alt="" />
      <p class="small">
        <b>{index + 1}</b> {slide?.title ?? <span class="muted">Being read</span>}
      </p>
      {warnings.map(({ code, detail }) => (
        <p key={code} class="small page-warning">
          {detail}
        </p>
      ))}
    </li>
  )
}

function PublishStep({ session }: { session: SessionDetail }) {
  const { route } = useLocation()
  return (
    <div class="halves">
      <PublishForm session={session} isPage onPublished={() => route(`/dashboard/sessions/${session.id}/share`)} />
      <AsItIsFound session={session} />
    </div>
  )
}

/** The talk as its link shows it to who opens it. */
function AsItIsFound({ session }: { session: SessionDetail }) {
  const deck = useQuery(deckQuery(session.id)).data
  const beats = useQuery({ ...scriptQuery(session.id), enabled: deck?.state === 'ready' }).data?.beats ?? []
  const ms = beats.reduce((sum, { estMs }) => sum + estMs, 0)
  const facts = [
    session.presenterName && `${session.presenterName}, automated presenter`,
    session.slidesCount > 0 && plural(session.slidesCount, 'slide'),
    ms > 0 && `about ${plural(Math.max(1, Math.round(ms / 60_000)), 'minute')}`,
  ]
  return (
    <section class="found" aria-labelledby="found">
      <h2 id="found">As people find it</h2>
      <div class="card">
        <SlideOf slide={deck?.slides[0]} empty={isBeingRead(deck) ? 'The first page is on its way' : 'No slides yet'} alt="" />
        <p class="found-title">
          <bdi>{session.title}</bdi>
        </p>
        <p class="muted">{facts.filter(Boolean).join(', ')}</p>
        <p>
          {session.mode === 'broadcast'
            ? 'A broadcast: one talk for all at a time.'
            : 'One on one: it begins when they press Start, and waits for their questions.'}
        </p>
        {session.ctaText !== undefined && (
          <p>
            At the end it offers <b>{session.ctaText}</b>.
          </p>
        )}
        <p class="actions">
          <a href={`/dashboard/sessions/${session.id}/set-up?step=2`}>Change how it is given</a>
        </p>
      </div>
      <JoinLink session={session} />
    </section>
  )
}
