// The live tab: the room as attendees see it, and every control a host has over it.
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'
import type { RoomState } from '../../room/stream/state.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Thread } from '../../ui/thread.tsx'
import { questionWords } from '../answers/question-words.ts'
import { deckQuery, isRunning, questionsQuery, refreshSession, runsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { Run, SessionDetail } from '../data/wire.ts'
import { atClock, count, exactly, plural } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { isLiveNow } from '../parts/status.tsx'
import { SlideOf } from '../parts/text-slide.tsx'
import { Thumb } from '../parts/thumb.tsx'
import { RunStatusWord, runWords } from '../replay/last-runs.tsx'
import { PublishButton } from '../session/publish-button.tsx'
import { SessionFrame } from '../session/session-frame.tsx'
import { NextAndNotes, PeopleHere, Timer } from './live-desk.tsx'
import { LiveControls } from './live-controls.tsx'
import { LivePolls } from './live-polls.tsx'
import { LiveQueue } from './live-queue.tsx'
import { useLiveRun } from './live-run.ts'

export function Live({ id }: { id: string }) {
  return (
    <SessionFrame id={id} tab="Live">
      {(session) => <LiveScreen key={session.id} session={session} />}
    </SessionFrame>
  )
}

function LiveScreen({ session }: { session: SessionDetail }) {
  const { query } = useLocation()
  const runs = useQuery({ ...runsQuery(session.id), refetchInterval: 5_000 })
  // The talk in view stays in view: when another begins, when it has ended, and when so many newer ones left it out of the list.
  const followed = useRef(query['run'])
  if (query['run'] !== undefined) followed.current = query['run']
  return (
    <Loaded query={runs}>
      {(all) => {
        const running = all.filter(isRunning)
        const chosen = followed.current ?? running[0]?.runId
        if (chosen === undefined) return <NobodyHere session={session} />
        followed.current = chosen
        return (
          <>
            {running.some(({ runId }) => runId !== chosen) && <Talks session={session} running={running} chosen={chosen} />}
            <RunView key={chosen} runId={chosen} session={session} />
          </>
        )
      }}
    </Loaded>
  )
}

/** Of many that run side by side each is found by who has it to themselves, by its slide, and by what was asked there last. */
function Talks({ session: { id }, running, chosen }: { session: SessionDetail; running: readonly Run[]; chosen: string }) {
  const slides = useQuery(deckQuery(id)).data?.slides ?? []
  const asked = useQuery({ ...questionsQuery(id), refetchInterval: 5_000 }).data?.rows ?? []
  return (
    <nav class="live-talks" aria-label={`Talks running: ${running.length}`}>
      {running.map(({ runId, name, status, startedAt, slideIndex }) => {
        const slide = slideIndex === undefined ? undefined : slides[slideIndex]
        const last = asked.filter((question) => question.runId === runId).toSorted((a, b) => b.askedAt.localeCompare(a.askedAt))[0]
        return (
          <a
            key={runId}
            class="live-talk"
            href={`/dashboard/sessions/${id}/live?run=${runId}`}
            aria-current={runId === chosen ? 'true' : undefined}
          >
            <Thumb src={slide?.imageUrl} title={slide?.title} text={slide?.textContent} />
            <span class="live-talk-words">
              <bdi class="live-talk-who">{name ?? 'Someone'}</bdi>
              <span class="small muted">
                {runWords[status]}
                {startedAt && `, since ${atClock(startedAt)}`}
              </span>
              <span class="small muted">
                {slideIndex === undefined ? 'Before the first slide' : `Slide ${slideIndex + 1} of ${slides.length}`}
                {slide?.title && (
                  <>
                    : <bdi>{slide.title}</bdi>
                  </>
                )}
              </span>
              <span class="small">
                {last === undefined ? <span class="muted">No question yet</span> : <bdi>{last.text}</bdi>}
                {last !== undefined && last.outcome === undefined && (
                  <span class="muted"> ({questionWords[last.status].toLowerCase()})</span>
                )}
              </span>
            </span>
          </a>
        )
      })}
    </nav>
  )
}

function NobodyHere({ session }: { session: SessionDetail }) {
  const isDraft = session.status === 'draft'
  return (
    <Empty
      title="Nobody is in the room"
      text={
        isDraft
          ? 'The session is a draft, so its link does not work yet. Publishing makes the link work for anyone who has it.'
          : 'As soon as someone opens the link and starts the talk, you can follow and steer it here.'
      }
      example={['Maya Okafor, hand raised', 'Where is the nearest site?', 'Queued, 2 votes']}
    >
      {session.slidesCount === 0 ? (
        <a class={buttonClass('primary')} href={`/dashboard/sessions/${session.id}/slides`}>
          Add slides
        </a>
      ) : isDraft ? (
        <PublishButton session={session} />
      ) : (
        <a class={buttonClass()} href={session.shareLink} target="_blank" rel="noopener">
          Open room
        </a>
      )}
    </Empty>
  )
}

const lobbyWords = ({ startPolicy, startsAt }: SessionDetail): string =>
  startPolicy === 'scheduled' && startsAt !== undefined
    ? `The room is open. The talk begins at ${exactly(startsAt)}.`
    : 'The room is open. The talk begins when it is started.'

const reactionWords = ({ agree, like, aha }: RoomState['reactions']): string =>
  agree + like + aha === 0 ? '' : `; ${count(agree)} agree, ${count(like)} like it, ${count(aha)} see a good point`

function RunView({ runId, session }: { runId: string; session: SessionDetail }) {
  const run = useLiveRun(runId)
  const { state, connection, hands, raised, notes } = run
  const slide = state.slides[state.slideIndex]
  const isMine = state.status === 'handed_over'
  // What the presenter said is over once the host speaks.
  const line = isMine
    ? state.lines.findLast(({ kind }) => kind === 'host')
    : (state.lines.findLast(({ finished }) => !finished) ?? state.lines.at(-1))
  const isOver = state.status === 'completed'
  // Its page and the list say whether somebody is there as they did when they were read.
  const isAnyoneHere = state.presence > 0
  useEffect(() => {
    if (isOver || isAnyoneHere !== isLiveNow(session)) void refreshSession(session.id)
  }, [isOver, isAnyoneHere])
  return (
    <div class="live">
      <section class="live-room" aria-label="The room">
        <p class="live-line">
          <span role="status">
            <RunStatusWord run={{ status: state.status }} />
            {!isOver && state.slides.length > 0 && `, slide ${state.slideIndex + 1} of ${state.slides.length}`}
          </span>
          <Timer sessionId={session.id} runId={runId} state={state} />
          {!isOver && (
            <span class="muted">
              {plural(state.presence, 'person', 'people')} here{hands > 0 ? `, ${plural(hands, 'hand')} raised` : ''}
              {reactionWords(state.reactions)}
            </span>
          )}
        </p>
        {connection.state !== 'live' && connection.state !== 'idle' && connection.state !== 'closed' && (
          <p class="note note-amber" role="status">
            {connection.state === 'offline' ? 'You are offline. The talk goes on.' : 'Connecting to the room. The talk goes on meanwhile.'}
          </p>
        )}
        <SlideOf slide={slide} empty="Connecting" data-testid="slide" data-index={state.slideIndex + 1} data-count={state.slides.length} />
        <Thread
          count={state.slides.length}
          current={isOver ? state.slides.length : state.slideIndex}
          progress={state.status === 'lobby' ? 0 : Math.min(1, state.beatsOnSlide * 0.2 + 0.1)}
          ticks={state.questions.flatMap((question) => question.slideIndex ?? [])}
          label={`Slide ${state.slideIndex + 1} of ${state.slides.length}, ${plural(state.questions.length, 'question')} so far`}
        />
        <p class="live-caption" data-testid="caption">
          <bdi>{line?.text ?? (state.status === 'lobby' ? lobbyWords(session) : runWords[state.status])}</bdi>
        </p>
        <LiveControls sessionId={session.id} runId={runId} state={state} />
        {!isOver && <NextAndNotes sessionId={session.id} state={state} />}
      </section>
      {/* It scrolls beside the slide, so the keyboard has to reach it where nothing in it can be pressed. */}
      <div class="live-side" role="region" aria-label="People, questions and polls" tabIndex={0}>
        {!isOver && <PeopleHere sessionId={session.id} runId={runId} state={state} raised={raised} hands={hands} />}
        <LiveQueue sessionId={session.id} runId={runId} state={state} notes={notes} />
        <LivePolls sessionId={session.id} runId={runId} state={state} />
      </div>
    </div>
  )
}
