// How an answer came about, for the host: what was found in the content, what a model wrote with the verdict on each sentence, times and cost.
import { useState } from 'preact/hooks'
import type { AnswerTrace as Trace } from '../data/wire.ts'
import { plural } from '../parts/format.ts'

type Call = NonNullable<Trace['model']>['calls'][number]

const verdicts: Record<string, string> = {
  ok: 'said',
  empty: 'dropped: it says nothing',
  too_long: 'dropped: too long',
  no_source: 'dropped: it names no source',
  unknown_source: 'dropped: there is no such source',
  leak: 'dropped: it may hold what only your notes say',
  address: 'dropped: an address that the source does not have',
  figure: 'dropped: a figure that the source does not have',
  measure: 'dropped: another measure than the source',
  name: 'dropped: a name that the source does not have',
  promise: 'dropped: a promise that the source does not make',
  denial: 'dropped: it denies, or fails to deny, what the source does',
  opposite: 'dropped: it says the opposite',
  misplaced: 'dropped: the source says this of something else',
  support: 'dropped: too few of its words are in the source',
}

const outcomes: Record<Call['outcome'], string> = {
  won: 'gave the answer',
  failed: 'failed',
  nothing_verified: 'said nothing that could be shown',
  stopped: 'was stopped',
}

const reasons: Record<string, string> = {
  busy: 'All places for model calls were taken, so the presenter quoted.',
  budget: 'The model calls of the day were used up, so the presenter quoted.',
  circuit: 'The models had failed too often, so the presenter quoted.',
  slow: 'No model began in time, so the presenter quoted.',
  stalled: 'The model stalled; the answer ended with what was said.',
  quiet: 'Nothing new came in time; the answer ended there.',
  nothing_verified: 'Nothing that a model wrote could be shown, so the presenter quoted.',
}

/** Drawn when it is opened: a long list of questions stays light. */
export function AnswerTrace({ trace }: { trace: Trace }) {
  const [isOpen, setOpen] = useState(false)
  if (trace.candidates.length === 0 && trace.model === undefined) return null
  return (
    <details class="fold answer-trace" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="small">How this answer came about</summary>
      {isOpen && <Report trace={trace} />}
    </details>
  )
}

function Report({ trace: { candidates, model } }: { trace: Trace }) {
  const reason = model === undefined ? undefined : reasons[model.why]
  return (
    <>
      {reason !== undefined && <p class="small">{reason}</p>}
      {model?.calls.map((call) => (
        <CallReport key={call.model} call={call} />
      ))}
      {candidates.length > 0 && (
        <>
          <p class="small trace-head">Found in the content</p>
          <ol class="small">
            {candidates.map(({ type, index, text, score }) => (
              <li key={`${type} ${index} ${text}`}>
                {text}{' '}
                <span class="muted">
                  ({type === 'slide' ? `slide ${index + 1}` : `passage ${index + 1}`}, score {score.toFixed(1)})
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  )
}

function CallReport({ call }: { call: Call }) {
  const { model, outcome, claims, malformed } = call
  return (
    <>
      <p class="small trace-head">
        {model} {outcomes[outcome]}
      </p>
      <p class="small muted">{figuresOf(call)}</p>
      <ul class="small">
        {claims.map(({ text, verdict, sources }, at) => (
          <li key={`${at} ${text}`}>
            {text === '' ? 'A sentence that is not kept' : text}{' '}
            <span class="muted">
              ({verdicts[verdict] ?? verdict}
              {sources.length > 0 && `; ${sources.join(', ')}`})
            </span>
          </li>
        ))}
        {malformed > 0 && <li>{plural(malformed, 'piece')} in no form that could be read</li>}
      </ul>
    </>
  )
}

function figuresOf({ firstPieceMs, firstSaidMs, endedMs, tokens, cost }: Call): string {
  return [
    firstPieceMs === null ? 'nothing came' : `first words after ${firstPieceMs} ms`,
    firstSaidMs === null ? '' : `first sentence after ${firstSaidMs} ms`,
    `ended after ${endedMs} ms`,
    tokens === null ? '' : `${tokens.input} tokens read (${tokens.cached} from the cache), ${tokens.output} written`,
    cost === null ? '' : `cost ${cost.toPrecision(2)}`,
  ]
    .filter((part) => part !== '')
    .join(' · ')
}
