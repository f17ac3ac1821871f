// A line icon of 16 px, always beside a word or under an accessible name. Only those that a screen imports are sent.
import type { IconNode } from 'lucide'
import { h } from 'preact'

export function Icon({ of }: { of: IconNode }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  )
}
