// The first slide, wherever a talk is named: it is found by its picture before its title is read. Slides of text are typeset in small.
import { Presentation } from 'lucide'
import { Icon } from '../../ui/icon.tsx'
import type { Slide } from '../data/wire.ts'
import { TextSlide } from './text-slide.tsx'

interface ThumbProps {
  src: string | undefined
  title?: string | undefined
  /** Of a slide without a picture, where it is known here. */
  text?: string | null | undefined
}

export function Thumb({ src, title, text }: ThumbProps) {
  return (
    <span class="talk-thumb" aria-hidden="true">
      {src !== undefined ? (
        <img src={src} alt="" width={640} height={360} loading="lazy" />
      ) : title === undefined ? (
        <Icon of={Presentation} />
      ) : (
        <TextSlide title={title} text={text} />
      )}
    </span>
  )
}

interface SlideThumbProps {
  slide: Pick<Slide, 'imageUrl' | 'width' | 'height'> | undefined
  title: string
  text: string | null
}

/** One of the slides of a deck, in a list of them; a link is named by it. */
export function SlideThumb({ slide, title, text }: SlideThumbProps) {
  return (
    <span class="thumb-picture">
      {slide?.imageUrl ? (
        <img src={slide.imageUrl} alt={title} loading="lazy" width={slide.width ?? 1600} height={slide.height ?? 900} draggable={false} />
      ) : (
        <>
          <span class="vh">{title || text || 'Empty'}</span>
          <span aria-hidden="true">
            <TextSlide title={title} text={text} />
          </span>
        </>
      )}
    </span>
  )
}
