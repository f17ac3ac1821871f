// Charts as plain SVG: axis from zero, baseline and two light lines, direct labels. Each carries its text equivalent, and the
// screen puts a table of the same figures beneath ("Show data").

export interface Point {
  /** 0..1 along the axis. */
  x: number
  y: number
}

export interface LineChartProps {
  /** What the chart says, in one sentence. */
  label: string
  points: readonly Point[]
  /** A second series: dashed and blue, its points squares. */
  second?: readonly Point[]
  /** Marks on the x-axis (0..1): questions asked. */
  ticks?: readonly number[]
  /** Words at the start and the end of the axis. */
  from: string
  to: string
  format: (value: number) => string
}

const W = 640
const H = 200
const left = 36
const bottom = 24
const top = 12

export function LineChart({ label, points, second = [], ticks = [], from, to, format }: LineChartProps) {
  const max = niceMax(Math.max(0, ...points.map((p) => p.y), ...second.map((p) => p.y)))
  const x = (value: number) => round(left + value * (W - left - 8))
  const y = (value: number) => round(H - bottom - (value / max) * (H - bottom - top))
  const line = (series: readonly Point[]) => series.map((p, i) => `${i === 0 ? 'M' : 'L'}${x(p.x)} ${y(p.y)}`).join('')
  const first = points[0]
  const last = points.at(-1)
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${W} ${H}`} role="img" aria-label={label}>
        <Grid max={max} y={y} format={format} />
        {first && last && <path class="chart-area" d={`${line(points)}L${x(last.x)} ${y(0)}L${x(first.x)} ${y(0)}Z`} />}
        <path class="chart-line" d={line(points)} />
        {second.length > 0 && <path class="chart-second" d={line(second)} />}
        {second.map((p, i) => (
          <rect key={i} class="chart-mark" x={x(p.x) - 3} y={y(p.y) - 3} width={6} height={6} />
        ))}
        {ticks.map((at, i) => (
          <line key={i} class="chart-tick" x1={x(at)} x2={x(at)} y1={y(0)} y2={y(0) - 8} />
        ))}
        <text x={left} y={H - 6}>
          {from}
        </text>
        <text x={W - 8} y={H - 6} text-anchor="end">
          {to}
        </text>
      </svg>
    </figure>
  )
}

export interface BarItem {
  label: string
  value: number
  /** Said after the figure, such as "48 %". */
  note?: string
  /** A second figure of the same unit, drawn as a diamond. */
  second?: number
}

export interface BarChartProps {
  label: string
  items: readonly BarItem[]
  format: (value: number) => string
}

/** Columns from a zero baseline with the figure on each; up to some forty items. */
export function ColumnChart({ label, items, format }: BarChartProps) {
  const max = niceMax(Math.max(0, ...items.map((item) => Math.max(item.value, item.second ?? 0))))
  const step = (W - left - 8) / Math.max(1, items.length)
  const y = (value: number) => round(H - bottom - (value / max) * (H - bottom - top))
  const every = Math.ceil(items.length / 16)
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${W} ${H}`} role="img" aria-label={label}>
        <Grid max={max} y={y} format={format} />
        {items.map((item, i) => {
          const center = round(left + (i + 0.5) * step)
          const wide = round(Math.min(36, step * 0.6))
          return (
            <g key={i}>
              <rect
                class="chart-bar"
                x={round(center - wide / 2)}
                y={y(item.value)}
                width={wide}
                height={round(Math.max(0, y(0) - y(item.value)))}
              />
              {item.second !== undefined && item.second > 0 && (
                <path class="chart-mark" d={`M${center} ${y(item.second) - 5}l5 5l-5 5l-5 -5Z`} />
              )}
              {i % every === 0 && (
                <text x={center} y={H - 6} text-anchor="middle">
                  {item.label}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </figure>
  )
}

/** Horizontal bars with words and counts: the path to the CTA. */
export function BarChart({ label, items, format }: BarChartProps) {
  const max = Math.max(1, ...items.map((item) => item.value))
  const rowHeight = 34
  const labelWidth = 150
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${W} ${items.length * rowHeight}`} role="img" aria-label={label}>
        {items.map((item, i) => {
          const wide = round((item.value / max) * (W - labelWidth - 110))
          const middle = i * rowHeight + rowHeight / 2
          return (
            <g key={i}>
              <text x={0} y={middle + 4}>
                {item.label}
              </text>
              <rect class="chart-bar" x={labelWidth} y={middle - 8} width={Math.max(1, wide)} height={16} />
              <text x={labelWidth + wide + 8} y={middle + 4}>
                {item.note === undefined ? format(item.value) : `${format(item.value)}  ${item.note}`}
              </text>
            </g>
          )
        })}
      </svg>
    </figure>
  )
}

function Grid({ max, y, format }: { max: number; y: (value: number) => number; format: (value: number) => string }) {
  return (
    <>
      {[0, max / 2, max].map((value) => (
        <g key={value}>
          <line class={value === 0 ? 'chart-axis' : 'chart-grid'} x1={left} x2={W - 8} y1={y(value)} y2={y(value)} />
          <text x={left - 6} y={y(value) + 4} text-anchor="end">
            {format(value)}
          </text>
        </g>
      ))}
    </>
  )
}

/** The next even 1, 2, 4, 6, 10 x 10^n at or above `value`, so that the middle line is a whole figure. */
function niceMax(value: number): number {
  if (value <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 6, 10].find((factor) => factor * power >= value && (factor * power) % 2 === 0) ?? 10) * power
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
