// The status of a session as a word with a shape: Live a filled dot, Published a ring, Draft a dash, Failed a cross.
import type { SessionRecord } from '../data/wire.ts'

type Shape = 'dot' | 'ring' | 'dash' | 'cross'

const paths: Record<Shape, string> = {
  dot: 'M6 2a4 4 0 1 0 0 8a4 4 0 1 0 0-8z',
  ring: 'M6 2.75a3.25 3.25 0 1 0 0 6.5a3.25 3.25 0 1 0 0-6.5z',
  dash: 'M2 6h8',
  cross: 'M3 3l6 6M9 3l-6 6',
}

export function StatusWord({ shape, word, tone }: { shape: Shape; word: string; tone?: 'live' | 'bad' | 'wait' }) {
  return (
    <span class={`status${tone === undefined ? '' : ` status-${tone}`}`}>
      <svg viewBox="0 0 12 12" class={`status-shape status-${shape}`} aria-hidden="true">
        <path d={paths[shape]} />
      </svg>
      {word}
    </span>
  )
}

/** A session is live while a run of it is going on. */
export const isLiveNow = (session: SessionRecord): boolean => session.attendeesOnline !== undefined && session.attendeesOnline > 0

export function SessionStatusWord({ session }: { session: SessionRecord }) {
  return (
    <span data-testid="session-status" data-status={session.status}>
      {isLiveNow(session) ? (
        <StatusWord shape="dot" word="Live" tone="live" />
      ) : session.status === 'published' ? (
        <StatusWord shape="ring" word="Published" tone="live" />
      ) : (
        <StatusWord shape="dash" word="Draft" />
      )}
    </span>
  )
}
