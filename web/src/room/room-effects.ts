// What the room does to the page around it: keys, being online and visible, screen kept awake, a hidden tab.
import { useEffect, useState } from 'preact/hooks'
import { webClock } from '../ui/clock.ts'
import type { Controller } from './stream/controller.ts'
import type { pressKey } from './press-key.ts'
import { useRoom } from './use-room.ts'
import { isOver } from './view.ts'

const awayMs = 60_000
const shortWindow = '(height < 560px) and (width >= 600px)'
const quietAfterMs = 3_000
const stirs = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const
/** While somebody speaks. */
const recedes: ReadonlySet<string> = new Set(['presenting', 'answering', 'handed_over'])
/** Where a key is text. */
const fields = 'textarea, select, input:not([type=checkbox]), [contenteditable]'

/** A frame whose page does not let it would be told off in the console. */
function mayStayAwake(): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } }
  return 'wakeLock' in navigator && featurePolicy?.allowsFeature('screen-wake-lock') !== false
}

/** True where the slide needs the whole height: a telephone on its side, a low frame in a page. */
export function useRoomEffects(controller: Controller | null): boolean {
  const { view } = useRoom()
  const { status } = view.room
  const talking = view.phase === 'in' && !isOver(view)
  const [isShort, setShort] = useState(false)

  useEffect(() => {
    const low = matchMedia(shortWindow)
    const follow = () => {
      setShort(low.matches)
      // Not before it is there would anything look otherwise.
      if (low.matches) void import('./theatre.ts').catch(() => undefined)
    }
    follow()
    low.addEventListener('change', follow)
    return () => low.removeEventListener('change', follow)
  }, [])

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

  // What is not slide or caption recedes while nothing is done (stage.css says what, and for whom it never does).
  useEffect(() => {
    const room = document.querySelector<HTMLElement>('.room')
    if (room === null || !talking || !recedes.has(status)) return
    let cancel = () => {}
    const stir = () => {
      cancel()
      delete room.dataset.quiet
      cancel = webClock.after(quietAfterMs, () => (room.dataset.quiet = ''))
    }
    stir()
    for (const kind of stirs) addEventListener(kind, stir, { passive: true })
    return () => {
      cancel()
      delete room.dataset.quiet
      for (const kind of stirs) removeEventListener(kind, stir)
    }
  }, [talking, status])

  useEffect(() => {
    if (!talking || status !== 'presenting') return
    let lock: WakeLockSentinel | undefined
    let done = false
    const take = () => {
      if (document.visibilityState !== 'visible' || !mayStayAwake()) return
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
  return isShort
}
