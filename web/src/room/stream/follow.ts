// A talk that is followed in another language: what was said by now, in that language, and asked for again while there is more to come.
import type { WebClock } from '../../ui/clock.ts'
import type { Platform } from '../platform.ts'
import { inFollowed, type View } from '../view.ts'
import { inOtherWords, type Utterance, type Voice } from '../voice/voice.ts'
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

/** What this device says in the language that is followed; null where it has no voice for it, or the sentence is not there in it. */
export function followedVoice(platform: Pick<Platform, 'findVoice' | 'voices'>, view: () => View): (utterance: Utterance) => Voice | null {
  let found: { language: string; voice: Voice | null } | null = null
  return ({ text }) => {
    const language = view().choices.follow
    if (language === null) return null
    if (found?.language !== language) {
      const mine: typeof found = (found = { language, voice: null })
      platform.findVoice(language, (name) => void (mine.voice = name === null ? null : platform.voices(language).synth))
    }
    const shown = inFollowed(view(), text)
    return found.voice === null || shown === text ? null : inOtherWords(found.voice, shown)
  }
}
