// Films that this page makes: they go on while the host looks at other parts of the dashboard, and end with the page, which asks before.
import { useEffect, useState } from 'preact/hooks'
import { showToast } from '../../ui/toast.tsx'
import { webClock } from '../../ui/clock.ts'
import { call, sendBytes, wordsOf } from '../data/api.ts'
import { refresh } from '../data/use-query.ts'

const lookMs = 500

const underWay = new Map<string, { share: number; stop: AbortController }>()
const watchers = new Set<() => void>()
const changed = () => watchers.forEach((watch) => watch())
const ask = (event: BeforeUnloadEvent) => event.preventDefault()

/** The share of each film that is being made here, by its recording. */
export function useFilming(): ReadonlyMap<string, { share: number }> {
  const [, redraw] = useState(0)
  useEffect(() => {
    const watch = () => redraw((count) => count + 1)
    watchers.add(watch)
    return () => void watchers.delete(watch)
  }, [])
  return underWay
}

export const stopFilming = (recordingId: string): void => underWay.get(recordingId)?.stop.abort()

/** Orders a film of the script, or of a run, and makes it. */
export async function orderFilm(sessionId: string, runId: string | undefined): Promise<void> {
  const { recordingId } = await call('create_recording', { sessionId, format: 'webm', ...(runId !== undefined && { runId }) })
  void film(sessionId, recordingId)
}

/** Makes the film of a recording that waits for it. */
export async function film(sessionId: string, recordingId: string): Promise<void> {
  const which = { sessionId, recordingId }
  if (underWay.has(recordingId)) return
  const stop = new AbortController()
  const { signal } = stop
  const told = { share: 0, stop }
  underWay.set(recordingId, told)
  if (underWay.size === 1) addEventListener('beforeunload', ask)
  changed()
  try {
    // The server puts together first what is to be seen and heard.
    while ((await call('get_recording', which, { signal })).state === 'waiting')
      await new Promise<void>((resolve) => void webClock.after(lookMs, resolve))
    const [plan, { makeWebm }] = await Promise.all([call('plan_recording', which, { signal }), import('./browser-film.ts')])
    const onProgress = (share: number) => {
      told.share = share
      changed()
    }
    await sendBytes('put_recording_file', which, await makeWebm({ plan, onProgress, signal }), signal)
  } catch (error) {
    if (!signal.aborted) showToast({ text: error instanceof Error && error.name === 'CannotFilm' ? error.message : wordsOf(error) })
  } finally {
    underWay.delete(recordingId)
    if (underWay.size === 0) removeEventListener('beforeunload', ask)
    changed()
    await refresh('session')
  }
}
