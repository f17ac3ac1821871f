// A test run before people come: the talk runs at a hundred times its speed before a synthetic audience, and the report says what to fix.
// The report of a rehearsal that people held is shown in its place.
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { AddToKnowledge } from '../answers/knowledge.tsx'
import { call } from '../data/api.ts'
import { rehearsalQuery, runsQuery, versionsQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import type { Rehearsal } from '../data/wire.ts'
import { duration, plural } from '../parts/format.ts'
import { Failed } from '../parts/loaded.tsx'
import { StatusWord } from '../parts/status.tsx'
import { SlideBySlide } from './slide-by-slide.tsx'

export function RehearsalReport({ id, hasSlides }: { id: string; hasSlides: boolean }) {
  // A room that is over leads here with the rehearsal that people held in it.
  const linked = useLocation().query['rehearsal']
  const [made, setMade] = useState(linked)
  // The report stays: the last test run is there when its host comes back.
  const earlier = useQuery({ ...runsQuery(id, 'rehearsal'), enabled: made === undefined })
  const rehearsalId = made ?? earlier.data?.find(({ endedAt }) => endedAt !== null)?.runId
  const section = useRef<HTMLElement>(null)
  const [isStarting, setStarting] = useState(false)
  const report = useQuery({ ...rehearsalQuery(id, rehearsalId ?? ''), enabled: rehearsalId !== undefined })
  const isThere = report.data !== undefined
  useEffect(() => setMade(linked), [linked])
  useEffect(() => {
    if (linked !== undefined && isThere) section.current?.scrollIntoView()
  }, [linked, isThere])
  const isRunning =
    isStarting ||
    (rehearsalId !== undefined && report.error === null && report.data?.status !== 'completed' && report.data?.status !== 'failed')
  const start = async () => {
    setStarting(true)
    await orToast(call('start_rehearsal', { sessionId: id }).then((begun) => setMade(begun.rehearsalId)))
    setStarting(false)
    await refresh('session', id, 'runs')
  }
  return (
    <section class="section" aria-labelledby="test-run" ref={section}>
      <div class="section-head">
        <h2 id="test-run">Test run</h2>
        <Button dense busy={isRunning} disabled={!hasSlides} onClick={() => void start()}>
          Test with an audience
        </Button>
      </div>
      <p class="muted">
        A synthetic audience hears the talk in seconds, asks about your slides, puts false figures to the presenter, asks off topic, and
        tries to get at your private notes. Nothing is counted.
      </p>
      <div role="status">
        {isRunning && <StatusWord shape="ring" word="The audience is listening" tone="wait" />}
        {report.error !== null && <Failed error={report.error} onRetry={() => void report.refetch()} />}
        {report.data !== undefined && report.data.status !== 'running' && <Findings sessionId={id} report={report.data} />}
      </div>
    </section>
  )
}

function Findings({ sessionId, report }: { sessionId: string; report: Rehearsal }) {
  if (report.status === 'failed') {
    return (
      <p class="note note-red">
        The test run did not reach its end. Try again; if it fails twice, look at the deck for a slide that could not be read.
      </p>
    )
  }
  const answerable = report.questions.filter(({ kind }) => kind === 'answerable' || kind === 'asked').length
  const leading = report.questions.filter(({ kind }) => kind === 'leading').length
  const misled = report.warnings.filter(({ code }) => code === 'misled').length
  return (
    <div class="findings">
      <Changed sessionId={sessionId} since={report.createdAt} />
      <dl class="stats">
        <Figure name="Score" value={`${report.score} of 100`} />
        <Figure name="Length" value={duration(report.seconds)} />
        <Figure name="Questions answered" value={`${answerable - report.unanswered.length} of ${answerable}`} />
        {leading > 0 && <Figure name="False figures refused" value={`${leading - misled} of ${leading}`} />}
        <Figure name="Notes leaked" value={report.leaks.length === 0 ? 'None' : String(report.leaks.length)} />
      </dl>
      <p class="muted">{whyScore(report)}</p>
      <SlideBySlide sessionId={sessionId} report={report} />
      {report.warnings.length === 0 && report.unanswered.length === 0 && (report.findings ?? []).length === 0 ? (
        <p>Nothing to fix.</p>
      ) : (
        <div class="pair">
          <div>
            <h3>To fix</h3>
            {report.warnings.length === 0 && <p class="muted">Nothing.</p>}
            <ul class="host-notes">
              {report.warnings.map(({ code, detail, slideIndex }, index) => (
                <li key={`${code} ${index}`}>
                  {detail}{' '}
                  {slideIndex !== undefined && (
                    <a href={`/dashboard/sessions/${sessionId}/${tabOf(code)}?slide=${slideIndex + 1}`}>Open slide {slideIndex + 1}</a>
                  )}
                </li>
              ))}
            </ul>
          </div>
          {report.unanswered.length > 0 && (
            <div>
              <h3>{plural(report.unanswered.length, 'question')} your deck should answer</h3>
              <ul class="unanswered">
                {report.unanswered.map((text) => (
                  <li key={text}>
                    <p>{text}</p>
                    <AddToKnowledge sessionId={sessionId} question={text} />
                  </li>
                ))}
              </ul>
            </div>
          )}
        </div>
      )}
    </div>
  )
}

/** What is told is of the script as it was: whoever has fixed it since tests again. */
function Changed({ sessionId, since }: { sessionId: string; since: string | undefined }) {
  const [latest] = useQuery(versionsQuery(sessionId)).data ?? []
  if (latest === undefined || since === undefined || latest.savedAt <= since) return null
  return <p class="note note-amber">The script was changed after this test run. Test again to see what has become better.</p>
}

/** Where the host fixes it: in what is said, or on the slide itself. */
const tabOf = (code: string): string => (code === 'slide_long' || code === 'slide_short' ? 'script' : 'slides')

/** A talk that a listener would leave: whatever else is fine does not save it. */
const leftBelow = 40

function whyScore({ parts, score, leaks, warnings }: Rehearsal): string {
  if (parts === undefined) return ''
  const { script, answers, safety } = parts
  const made = `What is said counts ${script} of 40, what is answered ${answers} of 40, private notes and the call to action ${safety} of 20.`
  const isLeft = script < leftBelow * 0.4 && score < leftBelow
  const isUntrue = leaks.length > 0 || warnings.some(({ code }) => code === 'misled')
  const left = ' Most of what is said is no sentence to listen to: such a talk stays under 40, whatever else is fine.'
  return `${made}${isLeft ? left : ''}${isUntrue ? ' An answer that is not true, or that holds private notes, takes 50 away.' : ''}`
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div class="stat">
      <dt>{name}</dt>
      <dd class="stat-value">{value}</dd>
    </div>
  )
}
