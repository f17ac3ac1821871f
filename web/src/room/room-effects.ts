// What the room does to the page around it: keys, being online and visible, screen kept awake, a hidden tab, word to an embedding page.
import { useEffect } from 'preact/hooks'
import type { Controller } from './controller.ts'
import { toggleFullScreen } from './header.tsx'
import type { RoomAction } from './keys.ts'
import { actionFor } from './keys.ts'
import { tellParent } from './embed.ts'
import { useRoom, useView } from './use-room.ts'
import { isOver } from './view.ts'

const awayMs = 60_000

export function useRoomEffects(controller: Controller | null, showKeys: () => void): void {
  const { boot } = useRoom()
  const view = useView()
  const { status } = view.room
  const talking = view.phase === 'in' && !isOver(view)

  useEffect(() => {
    if (controller === null) return
    const onKey = (event: KeyboardEvent) => {
      if (controller.view().phase !== 'in' || event.defaultPrevented || document.querySelector('dialog[open], :popover-open')) return
      const target = event.target instanceof HTMLElement ? event.target : document.body
      const inField = target.matches('textarea, select, input:not([type=checkbox]), [contenteditable]')
      const onControl = target.matches('button, a, summary, input, [role=tab], [role^=menuitem]')
      const { key, ctrlKey, metaKey, altKey } = event
      const context = {
        isolated: controller.isolated,
        singleKeys: controller.view().choices.singleKeys,
        rtl: document.dir === 'rtl',
      }
      const action = actionFor({ key, ctrlKey, metaKey, altKey, inField, onControl }, context)
      if (action === null) return
      event.preventDefault()
      act(controller, action, showKeys)
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

  useEffect(() => {
    if (boot.embed) tellParent({ type: 'state', state: status, slide: view.room.slideIndex + 1 })
  }, [status, view.room.slideIndex])
}

function act(controller: Controller, action: RoomAction, showKeys: () => void): void {
  const view = controller.view()
  const { choices, room } = view
  switch (action) {
    case 'ask':
      controller.choose({ panel: 'questions' })
      return document.getElementById('ask')?.focus()
    case 'hand':
      return controller.isolated ? undefined : controller.raiseHand(!view.handRaised)
    case 'sound':
      return controller.setSound(!view.sound)
    case 'captions':
      return controller.choose({ captions: !choices.captions })
    case 'transcript':
      return controller.choose({ panel: choices.panel === 'transcript' ? 'questions' : 'transcript' })
    case 'fullscreen':
      return toggleFullScreen()
    case 'dim':
      return controller.choose({ dim: !choices.dim })
    case 'pause':
      if (room.status === 'paused') controller.control('resume')
      else controller.pause()
      return
    case 'review_next':
      return controller.review((view.review ?? room.slideIndex) + 1)
    case 'review_previous':
      return controller.review((view.review ?? room.slideIndex) - 1)
    case 'live':
      return controller.review(null)
    case 'keys':
      return showKeys()
  }
}
