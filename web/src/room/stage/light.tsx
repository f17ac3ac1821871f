// Light on a picture: the rest recedes, or a rule stands beside what is meant where motion is unwanted (slide.css). Drawn in the
// measure of the picture and fitted like it, so that it lies on it at every size. The last light fades while the next one comes.
import { useId, useRef } from 'preact/hooks'
import type { Slide } from '../stream/wire.ts'

type Region = readonly (readonly [x: number, y: number, width: number, height: number])[]

interface LightProps {
  slide: Pick<Slide, 'width' | 'height'>
  region: Region | undefined
  /** A quote is underlined as well. */
  isQuote?: boolean | undefined
}

export function Light({ slide, region = [], isQuote }: LightProps) {
  const [width, height] = [slide.width ?? 1600, slide.height ?? 900]
  const key = region.join(' ')
  const shown = useRef<{ now: string; before: string; beforeRegion: Region; nowRegion: Region }>({
    now: '',
    before: '',
    nowRegion: [],
    beforeRegion: [],
  })
  const { current } = shown
  if (current.now !== key) shown.current = { now: key, nowRegion: region, before: current.now, beforeRegion: current.nowRegion }
  const { now, before, nowRegion, beforeRegion } = shown.current
  if (now === '' && before === '') return null
  return (
    <svg class="light" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {before !== '' && <Spot key={before} region={beforeRegion} width={width} height={height} isGone />}
      {now !== '' && <Spot key={now} region={nowRegion} width={width} height={height} isQuote={isQuote} />}
    </svg>
  )
}

interface SpotProps {
  region: Region
  width: number
  height: number
  isGone?: boolean
  isQuote?: boolean | undefined
}

function Spot({ region, width, height, isGone, isQuote }: SpotProps) {
  const mask = useId()
  const pad = width * 0.008
  const boxes = region.map(([x, y, wide, high]) => ({
    x: x * width - pad,
    y: y * height - pad,
    width: wide * width + 2 * pad,
    height: high * height + 2 * pad,
  }))
  return (
    <g class="spot" data-testid={isGone ? undefined : 'spotlight'} data-gone={isGone ? '' : undefined} data-block={region.length}>
      <mask id={mask}>
        <rect width={width} height={height} fill="#fff" />
        {boxes.map((box, index) => (
          <rect key={index} {...box} rx={pad} fill="#000" />
        ))}
      </mask>
      <rect class="spot-rest" width={width} height={height} mask={`url(#${mask})`} />
      {boxes.map((box, index) => (
        <rect key={index} class="spot-rule" x={box.x - pad / 2} y={box.y} width={pad / 2} height={box.height} />
      ))}
      {isQuote && boxes.map((box, index) => <rect key={index} class="spot-quote" {...box} rx={pad} />)}
    </g>
  )
}
