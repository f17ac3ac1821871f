// A slide without a picture is its text, read as the room reads it: the title, then up to seven lines; what is being said is lit.
import type { HTMLAttributes } from 'preact'
import { Light } from '../../room/stage/light.tsx'
import { bodyLines, isLit } from '../../room/stage/slide-view.tsx'
import type { PlaceOnSlide } from '../../room/stream/wire.ts'
import type { Box } from '../data/wire.ts'

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

/** Of a deck, or of a talk under way. */
interface SeenSlide {
  index: number
  title: string
  textContent?: string
  text?: string
  imageUrl?: string | null | undefined
  width?: number | null | undefined
  height?: number | null | undefined
}

interface SlideOfProps extends HTMLAttributes<HTMLDivElement> {
  slide: SeenSlide | undefined
  /** In its place until it is there. */
  empty?: string
  /** Its title, unless something beside it names it. */
  alt?: string
  lit?: readonly Box[] | undefined
  isLazy?: boolean
}

/** A slide as it is seen, by picture or typeset. */
export function SlideOf({ slide, empty, alt, lit, isLazy, ...rest }: SlideOfProps) {
  const { imageUrl, title, index = 0 } = slide ?? {}
  const [width, height] = [slide?.width ?? 1600, slide?.height ?? 900]
  return (
    <div class="stage" {...rest}>
      {slide === undefined ? (
        <p class="stage-empty">{empty}</p>
      ) : imageUrl ? (
        <>
          <img
            src={imageUrl}
            alt={alt ?? (title || `Slide ${index + 1}`)}
            width={width}
            height={height}
            loading={isLazy ? 'lazy' : 'eager'}
          />
          <Light slide={{ width, height }} region={lit} />
        </>
      ) : (
        <TextSlide title={title} text={slide.textContent ?? slide.text} />
      )}
    </div>
  )
}
