// The charts of one session; each says its point in a sentence, in counts where fewer than five people came.
import { resultRows } from '@rostrum/contract/poll-rows'
import { PollResults } from '../../ui/poll-results.tsx'
import { ColumnChart, LineChart } from '../../ui/chart.tsx'
import { Thread } from '../../ui/thread.tsx'
import { UnansweredList } from '../answers/knowledge.tsx'
import type { Analytics } from '../data/wire.ts'
import { atClock, count, duration, onDay, percent, plural } from '../parts/format.ts'
import { ChartSection } from './chart-section.tsx'
import { fewAttendees } from './figures.ts'

export function Attendance({ analytics }: { analytics: Analytics }) {
  const points = analytics.attendance ?? []
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length < 2) return null
  const start = Date.parse(first.at)
  const span = Math.max(1, Date.parse(last.at) - start)
  const peak = points.reduce((best, point) => (point.count > best.count ? point : best), first)
  const isOneDay = onDay(first.at) === onDay(last.at)
  const label = (at: string) => (isOneDay ? atClock(at) : onDay(at))
  return (
    <ChartSection
      title="Attendance"
      says={`At most ${plural(peak.count, 'person', 'people')} at once, ${isOneDay ? `at ${atClock(peak.at)}` : `on ${onDay(peak.at)}`}.`}
      head={['Time', 'People']}
      rows={points.map((point) => [`${onDay(point.at)}, ${atClock(point.at)}`, point.count])}
    >
      <LineChart
        label={`People in the room over time, at most ${peak.count}`}
        points={points.map((point) => ({ x: (Date.parse(point.at) - start) / span, y: point.count }))}
        from={label(first.at)}
        to={label(last.at)}
        format={count}
      />
    </ChartSection>
  )
}

export function Attention({ analytics }: { analytics: Analytics }) {
  const slides = analytics.slides ?? []
  const longest = slides.toSorted((a, b) => b.avgSeconds - a.avgSeconds)[0]
  const lost = slides.toSorted((a, b) => b.leftHere - a.leftHere)[0]
  if (longest === undefined || lost === undefined) return null
  const inMinutes = longest.avgSeconds > 240
  const left =
    lost.leftHere === 0
      ? 'Nobody left early.'
      : `Slide ${lost.index + 1} lost the most: ${plural(lost.leftHere, 'person', 'people')} left there.`
  return (
    <ChartSection
      title="Attention per slide"
      says={`Slide ${longest.index + 1} held people longest, ${duration(longest.avgSeconds)} on average. ${left}`}
      head={['Slide', 'People', 'Seconds on average', 'Left here']}
      rows={slides.map(({ index, views, avgSeconds, leftHere }) => [`Slide ${index + 1}`, views, avgSeconds, leftHere])}
    >
      <p class="legend small muted">
        <span class="legend-bar" aria-hidden="true" /> {inMinutes ? 'Minutes' : 'Seconds'} watched, on average
      </p>
      <ColumnChart
        label={`Average time on each slide; the longest is slide ${longest.index + 1}`}
        items={slides.map(({ index, avgSeconds }) => ({ label: String(index + 1), value: inMinutes ? avgSeconds / 60 : avgSeconds }))}
        format={(value) => `${count(value)} ${inMinutes ? 'min' : 's'}`}
      />
      <div class="thread-axis">
        <Thread
          count={slides.length}
          current={slides.length}
          ticks={slides.flatMap(({ index, leftHere }) => Array.from({ length: Math.min(leftHere, 8) }, () => index))}
          label={left}
        />
      </div>
      {lost.leftHere > 0 && (
        <p class="legend small muted">
          <span class="legend-tick" aria-hidden="true" /> Left here before the end
        </p>
      )}
    </ChartSection>
  )
}

const steps = [
  ['opened', 'Opened'],
  ['started', 'Started'],
  ['half', 'Saw half'],
  ['completed', 'Stayed to the end'],
  ['cta', 'Clicked the offer'],
  ['lead', 'Left details'],
] as const

export function CtaPath({ analytics }: { analytics: Analytics }) {
  const { funnel } = analytics
  if (funnel === undefined) return null
  const isFew = funnel.opened < fewAttendees
  return (
    <ChartSection
      title="Path to the offer"
      says={`Of ${plural(funnel.opened, 'person', 'people')} who opened the room, ${count(funnel.completed)} stayed to the end and ${count(funnel.cta)} clicked.`}
      head={['Step', 'People']}
      rows={steps.map(([name, label]) => [label, funnel[name]])}
    >
      <ol class="funnel">
        {steps.map(([name, label]) => (
          <li key={name}>
            <span>{label}</span>
            <span class="funnel-count">
              {count(funnel[name])}{' '}
              {!isFew && name !== 'opened' && <span class="small muted">({percent(funnel[name] / funnel.opened)})</span>}
            </span>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect class="chart-bar" width={(funnel[name] / Math.max(1, funnel.opened)) * 100} height="1" />
            </svg>
          </li>
        ))}
      </ol>
    </ChartSection>
  )
}

export function QuestionsBySlide({ sessionId, analytics }: { sessionId: string; analytics: Analytics }) {
  const slides = analytics.slides ?? []
  const unanswered = analytics.unanswered ?? []
  const asked = slides.reduce((sum, { questions }) => sum + questions, 0)
  if (asked === 0) return null
  return (
    <ChartSection
      title="Questions by slide"
      says={
        unanswered.length === 0
          ? `${plural(asked, 'question')}; none needs more background.`
          : `${plural(asked, 'question')}; ${plural(unanswered.length, 'subject')} had no certain answer.`
      }
      head={['Slide', 'Questions']}
      rows={slides.map(({ index, questions }) => [`Slide ${index + 1}`, questions])}
    >
      {unanswered.length > 0 && <UnansweredList sessionId={sessionId} questions={unanswered} wide />}
      <ColumnChart
        label="Questions asked on each slide"
        items={slides.map(({ index, questions }) => ({ label: String(index + 1), value: questions }))}
        format={count}
      />
    </ChartSection>
  )
}

/** Over all runs, one section a poll. */
export function Polls({ analytics }: { analytics: Analytics }) {
  return (analytics.polls ?? []).map((poll) => (
    <ChartSection
      key={poll.pollId}
      title={poll.question}
      says={`Asked on slide ${poll.slideIndex + 1}; ${plural(poll.results.answers, 'answer')}.`}
      head={['Answer', 'Count']}
      rows={resultRows(poll).map(({ name, count }) => [name, count])}
    >
      <PollResults poll={poll} words={{ right: 'right', yours: '' }} />
    </ChartSection>
  ))
}

/** Only where somebody came by a link with a name. */
export function Sources({ analytics: { sources = [] } }: { analytics: Analytics }) {
  const known = sources.filter(({ source }) => source !== null)
  const [first] = known
  if (first === undefined) return null
  const label = (source: string | null) => source ?? 'Not known'
  return (
    <ChartSection
      title="Where people came from"
      says={`${plural(known.length, 'named link')}; ${label(first.source)} brought ${plural(first.attendees, 'person', 'people')} and ${plural(first.leads, 'lead')}.`}
      head={['Source', 'People', 'Leads']}
      rows={sources.map(({ source, attendees, leads }) => [label(source), attendees, leads])}
    >
      <ol class="funnel">
        {sources.slice(0, 10).map(({ source, attendees, leads }) => (
          <li key={label(source)}>
            <span>
              <bdi>{label(source)}</bdi>
            </span>
            <span class="funnel-count">
              {count(attendees)} <span class="small muted">({plural(leads, 'lead')})</span>
            </span>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect class="chart-bar" width={(attendees / Math.max(1, ...sources.map((each) => each.attendees))) * 100} height="1" />
            </svg>
          </li>
        ))}
      </ol>
    </ChartSection>
  )
}
