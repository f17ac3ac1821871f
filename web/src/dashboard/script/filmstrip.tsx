// The slides of the talk as small pictures in the order of the text; dragging one moves it there, with its text.
import { useEffect, useState } from 'preact/hooks'
import { showCurrent } from '../parts/page.tsx'
import { SlideThumb } from '../parts/thumb.tsx'
import type { Slide } from '../data/wire.ts'
import type { TextSlide } from './script-text.ts'

export interface FilmstripProps {
  slides: readonly TextSlide[]
  pictures: ReadonlyMap<string, Slide>
  current: number
  /** Places of slides with something to look at. */
  warned: ReadonlySet<number>
  href(at: number): string
  onMove(from: number, to: number): void
}

export function Filmstrip({ slides, pictures, current, warned, href, onMove }: FilmstripProps) {
  const [dragged, setDragged] = useState<number>()
  const [over, setOver] = useState<number>()
  useEffect(showCurrent, [current])
  return (
    <nav class="thumbs" aria-label="Slides">
      <ol class="thumb-list">
        {slides.map(({ slideId, title, text, isSilent }, at) => {
          const picture = pictures.get(slideId)
          return (
            <li
              key={slideId}
              class={over === at ? 'thumb-item thumb-over' : 'thumb-item'}
              draggable
              onDragStart={() => setDragged(at)}
              onDragEnd={() => setDragged(undefined)}
              onDragOver={(event) => {
                event.preventDefault()
                setOver(at)
              }}
              onDrop={() => {
                setOver(undefined)
                if (dragged !== undefined && dragged !== at) onMove(dragged, at)
                setDragged(undefined)
              }}
            >
              <a class="thumb" data-testid="slide-thumb" href={href(at)} aria-current={at === current ? 'true' : undefined}>
                <span class="thumb-number">
                  <span class="vh">Slide </span>
                  {at + 1}
                  {warned.has(at) && (
                    <span class="thumb-warned" title="Something to look at">
                      <span class="vh">, something to look at</span>
                    </span>
                  )}
                </span>
                <SlideThumb slide={picture} title={title} text={text} />
                {isSilent && <span class="vh">, silent</span>}
              </a>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
