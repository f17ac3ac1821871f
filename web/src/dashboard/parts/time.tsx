// A moment: relative when fresh, or its day alone, with the exact time and zone on hover.
import { exactly, onDay, when } from './format.ts'

export function Time({ at, day = false }: { at: string | number; day?: boolean }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactly(at)}>
      {day ? onDay(at) : when(at)}
    </time>
  )
}
