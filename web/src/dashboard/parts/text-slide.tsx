// A slide without a picture is its text, read as the room reads it: the title, then up to seven lines; what is being said is lit.
import { bodyLines, isLit } from '../../room/stage/slide-view.tsx'
import type { PlaceOnSlide } from '../../room/stream/wire.ts'
import type { Slide } from '../data/wire.ts'

interface TextSlideProps {
  title: string | null | undefined
  text: string | null | undefined
  lit?: PlaceOnSlide['spans']
}

export function TextSlide({ title, text, lit }: TextSlideProps) {
  const lines = bodyLines(text ?? null, title ?? '').slice(0, 7)
  return (
    <div class="text-slide" dir="auto" data-spot={lines.some((line) => isLit(line, lit)) ? '' : undefined}>
      {title && <p class="text-slide-title">{title}</p>}
      {lines.map((line, index) => (
        <p key={index} class={line.bullet ? 'text-slide-item' : undefined} data-lit={isLit(line, lit) ? '' : undefined}>
          {line.text}
        </p>
      ))}
    </div>
  )
}

/** A slide as it is seen, by picture or typeset; `empty` in its place until it is there. */
export function SlideOf({ slide, empty, alt = '' }: { slide: Slide | undefined; empty: string; alt?: string | undefined }) {
  return (
    <div class="stage">
      {slide === undefined ? (
        <p class="stage-empty">{empty}</p>
      ) : slide.imageUrl ? (
        <img src={slide.imageUrl} alt={alt} width={slide.width ?? 1600} height={slide.height ?? 900} />
      ) : (
        <TextSlide title={slide.title} text={slide.textContent} />
      )}
    </div>
  )
}
