// The slides of a deck as small pictures in order; dragging one onto another moves it there (the editor has buttons for the same).
import { useEffect, useState } from 'preact/hooks'
import type { Slide } from '../data/wire.ts'
import { showCurrent } from '../parts/page.tsx'
import { SlideThumb } from '../parts/thumb.tsx'
import { moveSlide } from './deck-acts.ts'

export interface SlideListProps {
  sessionId: string
  slides: readonly Slide[]
  current: number
  /** Places of slides with something to look at. */
  warned: ReadonlySet<number | undefined>
}

export function SlideList({ sessionId, slides, current, warned }: SlideListProps) {
  const [dragged, setDragged] = useState<Slide>()
  const [over, setOver] = useState<number>()
  useEffect(showCurrent, [current])
  const drop = (index: number) => {
    setOver(undefined)
    if (dragged !== undefined && dragged.index !== index) void moveSlide(sessionId, dragged, index)
    setDragged(undefined)
  }
  return (
    <nav class="thumbs" aria-label="Slides">
      <ol class="thumb-list">
        {slides.map((slide) => (
          <li
            key={slide.id}
            class={over === slide.index ? 'thumb-item thumb-over' : 'thumb-item'}
            draggable
            onDragStart={() => setDragged(slide)}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => {
              event.preventDefault()
              setOver(slide.index)
            }}
            onDrop={() => drop(slide.index)}
          >
            <a
              class="thumb"
              data-testid="slide-thumb"
              href={`/dashboard/sessions/${sessionId}/slides?slide=${slide.index + 1}`}
              aria-current={slide.index === current ? 'true' : undefined}
            >
              <span class="thumb-number">
                <span class="vh">Slide </span>
                {slide.index + 1}
                {warned.has(slide.index) && (
                  <span class="thumb-warned" title="Something to look at">
                    <span class="vh">, something to look at</span>
                  </span>
                )}
              </span>
              <SlideThumb slide={slide} title={slide.title} text={slide.textContent} />
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
