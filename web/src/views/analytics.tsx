// `analytics`: how a session went: four figures, and three charts with the same figures as tables.
import { BarChart, ColumnChart, LineChart } from '../ui/chart.tsx'
import type { Bridge } from './bridge.ts'
import type { ComponentChildren } from 'preact'
import { Button, Figure, Frame, Problem } from './parts.tsx'
import { useTool } from './use-tool.ts'

interface Figures {
  sessionId: string
  totalAttendees?: number
  averageEngagementSec?: number
  questionsCount?: number
  ctaClicks?: number
  slides?: readonly { index: number; views: number; avgSeconds: number; leftHere: number; questions: number }[]
  funnel?: Record<string, number>
  attendance?: readonly { at: string; count: number }[]
  unanswered?: readonly { text: string; count: number }[]
}

const steps: readonly [string, string][] = [
  ['opened', 'Opened the room'],
  ['started', 'Started the talk'],
  ['half', 'Heard half of it'],
  ['completed', 'Heard all of it'],
  ['cta', 'Took the offer'],
  ['lead', 'Left details'],
]

const seconds = (value: number): string =>
  value < 60 ? `${Math.round(value)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`

export function Analytics({ bridge }: { bridge: Bridge }) {
  const { data, status, problem, canCall, isBusy, call, host } = useTool<Figures>(bridge, 'get_session_analytics')
  const sessionId = data?.sessionId ?? host.input?.['sessionId']
  const refresh = canCall && sessionId !== undefined ? () => void call({ sessionId }) : undefined
  const actions = refresh !== undefined && (
    <Button onPress={refresh} isBusy={isBusy}>
      Refresh
    </Button>
  )
  if (data === undefined) {
    return (
      <Frame state={status === 'error' ? 'error' : 'loading'} title="Analytics">
        <Problem words={problem ?? ''} again={refresh} />
      </Frame>
    )
  }
  const { totalAttendees = 0, averageEngagementSec = 0, questionsCount = 0, ctaClicks = 0 } = data
  return (
    <Frame state={totalAttendees === 0 ? 'empty' : 'ready'} title="Analytics" actions={actions}>
      <dl class="figures">
        <Figure value={String(totalAttendees)} label="Attendees" />
        <Figure value={seconds(averageEngagementSec)} label="Average engagement" />
        <Figure value={String(questionsCount)} label="Questions" />
        <Figure value={String(ctaClicks)} label="Offer clicks" />
      </dl>
      {totalAttendees === 0 ? (
        <p class="note">Nobody has been here yet. Share the link of the room.</p>
      ) : (
        <Charts figures={data} bridge={bridge} />
      )}
      {data.unanswered !== undefined && data.unanswered.length > 0 && (
        <section>
          <h2>What the talk could not answer</h2>
          <ul class="plain-list">
            {data.unanswered.slice(0, 8).map(({ text, count }) => (
              <li key={text}>{count > 1 ? `${text} (${count} times)` : text}</li>
            ))}
          </ul>
        </section>
      )}
    </Frame>
  )
}

function Charts({ figures, bridge }: { figures: Figures; bridge: Bridge }) {
  const { funnel, slides = [], attendance = [] } = figures
  const way = steps.map(([name, label]) => ({ label, value: funnel?.[name] ?? 0 }))
  const perSlide = slides.map(({ index, avgSeconds }) => ({ label: String(index + 1), value: Math.round(avgSeconds) }))
  const most = Math.max(1, attendance.length - 1)
  const { locale, timeZone } = bridge.state().context
  const time = (iso: string | undefined) =>
    iso === undefined
      ? ''
      : new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...(timeZone !== undefined && { timeZone }) }).format(new Date(iso))
  return (
    <>
      <Chart title="The way to the offer" head={['Step', 'People']} rows={way.map(({ label, value }) => [label, value])}>
        <BarChart label="People at each step of the way to the offer" items={way} format={String} />
      </Chart>
      {perSlide.length > 0 && (
        <Chart title="Attention per slide" head={['Slide', 'Seconds']} rows={perSlide.map(({ label, value }) => [label, value])}>
          <ColumnChart label="Average seconds on each slide" items={perSlide} format={String} />
        </Chart>
      )}
      {attendance.length > 1 && (
        <Chart title="In the room" head={['Time', 'People']} rows={attendance.map(({ at, count }) => [time(at), count])}>
          <LineChart
            label="People in the room over time"
            points={attendance.map(({ count }, i) => ({ x: i / most, y: count }))}
            from={time(attendance[0]?.at)}
            to={time(attendance.at(-1)?.at)}
            format={String}
          />
        </Chart>
      )}
    </>
  )
}

interface ChartProps {
  title: string
  head: readonly [string, string]
  rows: readonly (readonly [string, number])[]
  children: ComponentChildren
}

function Chart({ title, head, rows, children }: ChartProps) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
      <details>
        <summary>Show data: {title}</summary>
        <table>
          <thead>
            <tr>
              {head.map((word) => (
                <th key={word}>{word}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([label, value], i) => (
              <tr key={i}>
                <td>{label}</td>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}
