// A slide as the room shows it, with the places lit that the sentence being said stands on.
import { TextSlide } from '../parts/text-slide.tsx'
import type { Box, Slide } from '../data/wire.ts'

const percent = (share: number): string => `${Math.round(share * 10_000) / 100}%`

export function SlidePicture({ slide, lit = [], isLazy = false }: { slide: Slide; lit?: readonly Box[]; isLazy?: boolean }) {
  const { width = 1600, height = 900, imageUrl, title, textContent, index } = slide
  if (!imageUrl) {
    return (
      <div class="stage">
        <TextSlide title={title} text={textContent} />
      </div>
    )
  }
  return (
    <div class="stage">
      <div class={width * 9 >= height * 16 ? 'frame frame-wide' : 'frame'} style={{ aspectRatio: `${width} / ${height}` }}>
        <img src={imageUrl} alt={title || `Slide ${index + 1}`} width={width} height={height} loading={isLazy ? 'lazy' : 'eager'} />
        {lit.map(([left, top, wide, high], at) => (
          <span
            key={at}
            class="frame-lit"
            style={{ left: percent(left), top: percent(top), width: percent(wide), height: percent(high) }}
          />
        ))}
      </div>
    </div>
  )
}
