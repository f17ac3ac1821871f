// Where `goto`, `next`, `previous` and `repeat` lead.
import type { Place } from '../state/run-event.ts'
import type { Draft } from './draft.ts'
import type { TableInput } from './input.ts'

/** The place to go to; null: beyond the last slide, where the closing begins; `unknown`: there is no such slide. */
export function destinationOf({ state, setting }: Draft, input: TableInput): Place | null | 'unknown' {
  if (input.type !== 'move') return 'unknown'
  const { slides } = setting.talk
  const here = state.slideIndex ?? 0
  switch (input.to.type) {
    case 'goto':
      return input.to.slideIndex < 0 || input.to.slideIndex >= slides.length ? 'unknown' : setting.order.ofSlide(input.to.slideIndex)
    case 'next':
      return here + 1 >= slides.length ? setting.order.firstClosing() : setting.order.ofSlide(here + 1)
    case 'previous':
      return setting.order.ofSlide(Math.max(0, here - 1))
    case 'repeat':
      return setting.order.ofSlide(here)
  }
}
