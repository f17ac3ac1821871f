// The band of a rehearsal and, once it is over, what it showed: for whoever is signed in to the account that holds the session. Others
// see the band alone. It is for the host, so it speaks the language of the dashboard.
import { useEffect, useRef, useState } from 'preact/hooks'
import { buttonClass } from '../../ui/button.tsx'
import { useRoom } from '../use-room.ts'
import { isOver } from '../view.ts'

/** The answer of `get_rehearsal`, as far as it is shown here. */
interface Report {
  status: 'running' | 'completed' | 'failed'
  seconds: number
  questions: readonly { outcome: string }[]
  unanswered: readonly string[]
  leaks: readonly string[]
  warnings: readonly { detail: string }[]
  score: number
}

const linesMax = 5
/** Who leaves early is here before the server has ended the run. */
const againMs = 2_000
const triesMax = 30

export function Rehearsal() {
  const { boot, t, view, controller } = useRoom()
  const { sessionId } = boot.room
  const runId = useRef<string | undefined>(undefined)
  const [report, setReport] = useState<Report | null>(null)
  const over = isOver(view)
  useEffect(() => {
    runId.current = controller?.seat()?.runId ?? runId.current
  })
  useEffect(() => {
    if (!over || runId.current === undefined || sessionId === undefined) return
    return follow(`/api/v1/agent/sessions/${sessionId}/rehearsals/${runId.current}`, setReport)
  }, [over])
  return (
    <aside class="rehearsal">
      {t('rehearsal.bar')}
      {report !== null && <Findings report={report} address={`/dashboard/sessions/${sessionId}?rehearsal=${runId.current}`} />}
    </aside>
  )
}

/** Asks until the report is there; silent where there is none for this browser. */
function follow(address: string, found: (report: Report) => void): () => void {
  let timer = 0
  const ask = async (tries: number) => {
    const response = await fetch(address).catch(() => null)
    if (response?.ok !== true) return
    const report = (await response.json()) as Report
    if (report.status !== 'running') found(report)
    else if (tries < triesMax) timer = window.setTimeout(() => void ask(tries + 1), againMs)
  }
  void ask(0)
  return () => window.clearTimeout(timer)
}

function Findings({ report, address }: { report: Report; address: string }) {
  const { questions, unanswered, leaks, warnings, score, seconds, status } = report
  const toFix = [...warnings.map(({ detail }) => detail), ...unanswered.map((text) => `Not answered: ${text}`)]
  const minutes = `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')}`
  return (
    <section lang="en" dir="ltr" aria-labelledby="rehearsal-report" data-testid="rehearsal-report">
      <h2 id="rehearsal-report">Rehearsal report</h2>
      {status === 'failed' ? (
        <p>The talk did not reach its end, so there is nothing to tell yet.</p>
      ) : (
        <>
          <p>
            <b class="tabular">{score} of 100</b> · {minutes} long · {questions.length - unanswered.length} of {questions.length} questions
            answered · {leaks.length === 0 ? 'no' : leaks.length} private notes leaked
          </p>
          {toFix.length === 0 ? (
            <p>Nothing to fix.</p>
          ) : (
            <ul>
              {toFix.slice(0, linesMax).map((line) => (
                <li key={line}>{line}</li>
              ))}
              {toFix.length > linesMax && <li>{toFix.length - linesMax} more in the whole report.</li>}
            </ul>
          )}
        </>
      )}
      <a class={buttonClass()} href={address}>
        Open the whole report
      </a>
    </section>
  )
}
