// Server state in components: a thin hook over @tanstack/query-core, which caches, dedupes and refreshes.
import { QueryClient, type QueryKey, QueryObserver, type QueryObserverResult } from '@tanstack/query-core'
import { useEffect, useState } from 'preact/hooks'
import { Problem } from './api.ts'

export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // What was read is shown at once and read again: a talk may be going on meanwhile.
      staleTime: 1_000,
      gcTime: 10 * 60_000,
      retry: (failures, error) =>
        failures < 2 && error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500),
      // Who walks through many screens at once is slowed down, not refused.
      retryDelay: (failures, error) => (error instanceof Problem && error.waitMs) || 1_000 * 2 ** failures,
    },
  },
})

export interface Query<T> {
  queryKey: QueryKey
  queryFn: (context: { queryKey: QueryKey; signal: AbortSignal }) => Promise<T>
  staleTime?: number
  /** Asks again every so many milliseconds, as long as the answer says so. */
  refetchInterval?: number | false | ((query: { state: { data: T | undefined } }) => number | false)
  enabled?: boolean
}

/** The state of a query now, and again whenever it changes. */
export function useQuery<T>(query: Query<T>): QueryObserverResult<T> {
  const options = cache.defaultQueryOptions<T>(query)
  const [observer] = useState(() => new QueryObserver<T>(cache, options))
  const [, redraw] = useState(0)
  useEffect(() => observer.subscribe(() => redraw((count) => count + 1)), [observer])
  useEffect(() => observer.setOptions(options))
  return observer.getOptimisticResult(options)
}

/** Asks again for everything whose key starts with `key`. */
export async function refresh(...key: string[]): Promise<void> {
  await cache.invalidateQueries({ queryKey: key })
}
