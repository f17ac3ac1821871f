// A talk that is followed in another language: what was said by now, in that language, and asked for again while there is more to come.
import type { WebClock } from '../../ui/clock.ts'
import type { View } from '../view.ts'
import type { RoomApi, Seat } from './room-api.ts'

const againMs = 30_000

interface FollowParts {
  api: Pick<RoomApi, 'translation'>
  clock: Pick<WebClock, 'after'>
  seat(): Seat | null
  view(): View
  set(change: Partial<View>): void
}

export function createFollow({ api, clock, seat, view, set }: FollowParts): () => void {
  let isAsking = false
  let isDue = false
  return function follow(): void {
    const language = view().choices.follow
    const current = seat()
    if (language === null || current === null) return
    isDue = isAsking
    if (isAsking) return
    isAsking = true
    void api
      .translation(current, language)
      .catch(() => null)
      .then((found) => {
        isAsking = false
        if (found !== null && view().choices.follow === language) set({ translated: found.sentences })
        if (isDue) follow()
        else if (found?.isWhole === false) clock.after(againMs, follow)
      })
  }
}
