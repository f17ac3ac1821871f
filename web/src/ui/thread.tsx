// The thread: one thin segment per slide, filled as the talk goes, questions hanging on it where they were asked. Room, recap,
// session list, replay and analytics draw this one component; widths are SVG attributes, because the content policy blocks inline styles.

export interface ThreadProps {
  count: number
  /** The live slide, from 0; -1 before the start, `count` when the talk is over. */
  current: number
  /** How far the live slide has come, 0..1. */
  progress?: number
  /** Slides on which a question was asked, from 0; repeats draw side by side. */
  ticks?: readonly number[]
  /** Slide looked at where it is not the live one. */
  shown?: number | undefined
  /** The text equivalent, such as "Slide 4 of 12, 2 questions so far". */
  label: string
  onPick?: (index: number) => void
}

const width = 1_000
const barY = 6
const barHeight = 4
/** The live segment grows by what can be seen, a pixel or so, not with each character: every step is laid out and painted. */
export const growthSteps = 32

export function Thread({ count, current, progress = 0, ticks = [], shown, label, onPick }: ThreadProps) {
  const slots = Math.max(1, count)
  const step = width / slots
  const gap = Math.min(6, step * 0.2)
  const bar = step - gap
  const perSlide = new Map<number, number>()
  const pick = (event: MouseEvent) => {
    const svg = event.currentTarget
    if (!(svg instanceof SVGElement) || onPick === undefined) return
    const box = svg.getBoundingClientRect()
    const across = (event.clientX - box.left) / box.width
    const rtl = getComputedStyle(svg).direction === 'rtl'
    onPick(Math.max(0, Math.min(slots - 1, Math.floor((rtl ? 1 - across : across) * slots))))
  }
  return (
    <svg
      class="thread"
      viewBox={`0 0 ${width} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      onClick={onPick ? pick : undefined}
    >
      {Array.from({ length: slots }, (_, index) => (
        <rect
          key={index}
          class={index < current ? 'thread-past' : 'thread-base'}
          x={round(index * step)}
          y={barY}
          width={round(bar)}
          height={barHeight}
        />
      ))}
      {current >= 0 && current < slots && (
        <rect
          class="thread-live"
          x={round(current * step)}
          y={barY}
          width={round((bar * Math.ceil(growthSteps * Math.min(1, progress) || 1)) / growthSteps)}
          height={barHeight}
        />
      )}
      {shown !== undefined && shown !== current && (
        <rect class="thread-shown" x={round(shown * step)} y={barY - 3} width={round(bar)} height={barHeight + 6} />
      )}
      {ticks.map((slide, index) => {
        const nth = perSlide.get(slide) ?? 0
        perSlide.set(slide, nth + 1)
        const at = (slide + Math.min(0.95, 0.5 + nth * 0.12)) * step - gap / 2
        return <rect key={`t${index}`} class="thread-tick" x={round(at)} y={barY - 4} width={2.5} height={barHeight + 8} />
      })}
    </svg>
  )
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
