// What a query shows before and instead of its data: a skeleton of the final height, or what failed with a way on.
import type { QueryObserverResult } from '@tanstack/query-core'
import type { ComponentChildren } from 'preact'
import { Button } from '../../ui/button.tsx'
import { wordsOf } from '../data/api.ts'

export interface LoadedProps<T> {
  query: QueryObserverResult<T>
  /** Rows that the skeleton holds open. */
  rows?: number
  /** What they will look like: rows with a picture, a talk with its picture beside its words, or figures beside each other. */
  shape?: 'talks' | 'home' | 'figures'
  children: (data: T) => ComponentChildren
}

export function Loaded<T>({ query, rows = 4, shape, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error !== null) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  return <Skeleton rows={rows} {...(shape !== undefined && { shape })} />
}

export function Skeleton({ rows, shape }: Pick<LoadedProps<unknown>, 'shape'> & { rows: number }) {
  return (
    <div class={`skeleton${shape === undefined ? '' : ` skeleton-${shape}`}`} aria-busy="true">
      <span class="vh">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class="skeleton-row" />
      ))}
    </div>
  )
}

export function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div class="note note-red failed" role="alert">
      <p>{wordsOf(error)}</p>
      <Button dense onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
