// What the room does to the page around it: keys, being online and visible, screen kept awake, a hidden tab.
import { useEffect } from 'preact/hooks'
import type { Controller } from './stream/controller.ts'
import type { pressKey } from './press-key.ts'
import { useRoom } from './use-room.ts'
import { isOver } from './view.ts'

const awayMs = 60_000
/** Where a key is text. */
const fields = 'textarea, select, input:not([type=checkbox]), [contenteditable]'

export function useRoomEffects(controller: Controller | null): void {
  const { view } = useRoom()
  const { status } = view.room
  const talking = view.phase === 'in' && !isOver(view)

  useEffect(() => {
    if (controller === null) return
    let press: typeof pressKey | undefined
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event
      if (controller.view().phase !== 'in' || key === 'Tab' || (target instanceof Element && target.matches(fields))) return
      if (event.defaultPrevented || document.querySelector('dialog[open], :popover-open')) return
      if (press) return press(controller, event)
      // By the time it is fetched the browser would have scrolled, or opened its search, and the presenter would still speak.
      if (controller.view().choices.singleKeys && target === document.body && (key === ' ' || key === '/')) {
        event.preventDefault()
        if (key === ' ') controller.hush(true)
      }
      import('./press-key.ts').then(
        ({ pressKey }) => {
          press = pressKey
          pressKey(controller, event)
        },
        () => controller.hush(false),
      )
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [controller])

  useEffect(() => {
    if (controller === null) return
    let away: ReturnType<typeof setTimeout> | undefined
    const wake = () => controller.wake()
    const onVisible = () => {
      clearTimeout(away)
      if (document.visibilityState === 'visible') return wake()
      away = setTimeout(() => {
        const now = controller.view()
        if (controller.isolated && !now.sound && now.room.status === 'presenting') controller.pauseAway()
      }, awayMs)
    }
    const lose = () => controller.lose()
    addEventListener('online', wake)
    addEventListener('offline', lose)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      clearTimeout(away)
      removeEventListener('online', wake)
      removeEventListener('offline', lose)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [controller])

  useEffect(() => {
    if (!talking || status !== 'presenting') return
    let lock: WakeLockSentinel | undefined
    let done = false
    const take = () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
      navigator.wakeLock.request('screen').then(
        (got) => {
          lock = got
          if (done) void got.release()
        },
        () => undefined,
      )
    }
    take()
    document.addEventListener('visibilitychange', take)
    return () => {
      done = true
      document.removeEventListener('visibilitychange', take)
      void lock?.release()
    }
  }, [talking, status])
}
