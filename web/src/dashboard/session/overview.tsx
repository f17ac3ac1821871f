// The home of a talk: its picture and link, what to do next, the week in four figures, who asked and who left their details, the test run
// and the last runs.
import { ArrowRight, ExternalLink, Play } from 'lucide'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Thread } from '../../ui/thread.tsx'
import { isUnanswered } from '../answers/question-words.ts'
import { StatRow } from '../audience/stat-row.tsx'
import { analyticsQuery, deckQuery, leadsQuery, questionsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { AskedQuestion, Lead, SessionDetail } from '../data/wire.ts'
import { DeckStatus } from '../deck/deck-status.tsx'
import { absolute, plural } from '../parts/format.ts'
import { isLiveNow, SessionStatusWord } from '../parts/status.tsx'
import { SlideOf } from '../parts/text-slide.tsx'
import { Time } from '../parts/time.tsx'
import { LastRuns } from '../replay/last-runs.tsx'
import { RehearsalReport } from '../replay/rehearsal-report.tsx'
import { PublishButton } from './publish-button.tsx'
import { noteLinkCopied, rehearse, unpublish } from './session-acts.ts'
import { SessionFrame } from './session-frame.tsx'

export function Overview({ id }: { id: string }) {
  return (
    <SessionFrame
      id={id}
      tab="Overview"
      actions={(session) => (
        <>
          <Button onClick={() => void rehearse(session.id)}>
            <Icon of={Play} />
            Rehearse
          </Button>
          {session.status === 'published' ? (
            <Button onClick={() => void unpublish(session)}>Unpublish</Button>
          ) : (
            <PublishButton session={session} kind={session.deckState === 'ready' ? 'primary' : 'plain'} />
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
          {/* Nobody can have come to what was never open: nothing of a draft is counted. */}
          {(session.status === 'published' || session.publishedAt !== undefined) && <Week session={session} />}
          <RehearsalReport id={session.id} hasSlides={session.slidesCount > 0} />
          <LastRuns id={session.id} />
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
      <SlideOf
        slide={shown}
        empty={session.deckState === 'pending' || session.deckState === 'processing' ? 'The slides are being read' : 'No slides yet'}
      />
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
  if (session.guests !== undefined) {
    return `Only ${plural(session.guests.length, 'person', 'people')} whom you named can come. Unpublishing stops it; people in the room finish their talk.`
  }
  const reach = session.discoverable ? 'Listed: everybody can find it.' : 'Link only: it works for anyone who has the link.'
  return `${reach} Unpublishing stops it; people in the room finish their talk.`
}

export function JoinLink({ session }: { session: SessionDetail }) {
  const link = absolute(session.shareLink)
  return (
    <div>
      <h2>Join link</h2>
      <a class="join-link" data-testid="join-link" href={link} target="_blank" rel="noopener">
        {link}
      </a>
      <div class="actions">
        <Copy dense value={link} label="Copy link" onCopied={noteLinkCopied} />
        {session.status === 'published' && (
          <a class={buttonClass('plain', true)} href={link} target="_blank" rel="noopener">
            <Icon of={ExternalLink} />
            Open room
          </a>
        )}
        <a href={`/dashboard/sessions/${session.id}/share`}>QR code and embedding</a>
      </div>
    </div>
  )
}

function Standing({ session }: { session: SessionDetail }) {
  return (
    <section class="standing" aria-label="Status and link">
      <div class="standing-status">
        <SessionStatusWord session={session} />
        <p class="muted">{consequence(session)}</p>
      </div>
      {session.guests === undefined ? (
        <JoinLink session={session} />
      ) : (
        <p>
          <a href={`/dashboard/sessions/${session.id}/share`}>Their links</a>
        </p>
      )}
      <NextAct session={session} />
    </section>
  )
}

/** The one thing that would help most now, and where it is done. */
function NextAct({ session }: { session: SessionDetail }) {
  const open = (useQuery(questionsQuery(session.id)).data?.rows ?? []).filter(isUnanswered).length
  const leads = useQuery(leadsQuery(session.id)).data?.rows.length ?? 0
  const { rest, words } = nextFor(session, open, leads)
  return (
    <a class="next-act" href={`/dashboard/sessions/${session.id}${rest}`}>
      <span>
        <span class="small muted">Next</span>
        <b>{words}</b>
      </span>
      <Icon of={ArrowRight} />
    </a>
  )
}

function nextFor({ deckState, status, ...session }: SessionDetail, open: number, leads: number): { rest: string; words: string } {
  if (deckState === 'none') return { rest: '/slides', words: 'Add slides' }
  if (deckState === 'failed') return { rest: '/slides', words: 'Try another file' }
  if (isLiveNow({ status, ...session })) return { rest: '/live', words: 'Go to the live controls' }
  if (status === 'draft') return { rest: '/set-up?step=2', words: 'Listen to it, try questions, then publish' }
  if (open > 0) return { rest: '/questions?show=open', words: `Look at ${plural(open, 'question')} without an answer` }
  if (leads > 0) return { rest: '/people', words: `Write to ${plural(leads, 'person', 'people')} who left their details` }
  return { rest: '/share', words: session.guests === undefined ? 'Share the link' : 'Send each their link' }
}

const shownMost = 4

function Week({ session: { id } }: { session: SessionDetail }) {
  const week = useQuery(analyticsQuery(id, 7))
  const questions = useQuery(questionsQuery(id)).data?.rows ?? []
  const leads = useQuery(leadsQuery(id)).data?.rows ?? []
  return (
    <section class="section" aria-labelledby="week">
      <div class="section-head">
        <h2 id="week">Last seven days</h2>
        <a href={`/dashboard/sessions/${id}/analytics`}>Analytics</a>
      </div>
      {week.data && <StatRow stats={week.data} />}
      <div class="halves">
        <Latest
          title="Latest questions"
          href={`/dashboard/sessions/${id}/questions`}
          none="Nobody has asked anything yet."
          rows={questions}
        >
          {(question) => <QuestionRow key={question.questionId} question={question} />}
        </Latest>
        <Latest title="Latest leads" href={`/dashboard/sessions/${id}/people`} none="Nobody has left their details yet." rows={leads}>
          {(lead) => <LeadRow key={lead.id} lead={lead} />}
        </Latest>
      </div>
    </section>
  )
}

interface LatestProps<Row> {
  title: string
  href: string
  none: string
  rows: readonly Row[]
  children: (row: Row) => preact.ComponentChildren
}

function Latest<Row>({ title, href, none, rows, children }: LatestProps<Row>) {
  return (
    <div class="latest">
      <div class="section-head">
        <h3>{title}</h3>
        {rows.length > 0 && <a href={href}>All {rows.length}</a>}
      </div>
      {rows.length === 0 ? <p class="muted">{none}</p> : <ul class="latest-list">{rows.slice(0, shownMost).map(children)}</ul>}
    </div>
  )
}

const QuestionRow = ({ question: { text, by, askedAt, ...question } }: { question: AskedQuestion }) => (
  <li>
    <bdi>{text}</bdi>
    <span class="small muted">
      <bdi>{by.name ?? 'Someone'}</bdi>, <Time at={askedAt} />
      {isUnanswered({ text, by, askedAt, ...question }) && <span class="chip chip-amber">No answer</span>}
    </span>
  </li>
)

const LeadRow = ({ lead: { name, email, company, created_at } }: { lead: Lead }) => (
  <li>
    <bdi>{name || email}</bdi>
    <span class="small muted">
      {company !== '' && (
        <>
          <bdi>{company}</bdi>,{' '}
        </>
      )}
      <Time at={created_at} />
    </span>
  </li>
)
