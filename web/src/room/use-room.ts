// Hooks of the room's components: the controller's view as state, and words that depend on it.
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Boot, T } from './boot.ts'
import type { Controller } from './controller.ts'
import type { Spoken, View } from './view.ts'
import { initialView } from './view.ts'

export interface RoomContext {
  boot: Boot
  t: T
  /** Absent on the server, where nothing can be pressed. */
  controller: Controller | null
}

export const RoomScope = createContext<RoomContext | null>(null)

export function useRoom(): RoomContext {
  const context = useContext(RoomScope)
  if (context === null) throw new Error('a component of the room outside the room')
  return context
}

export function useView(): View {
  const { boot, controller } = useRoom()
  const [view, setView] = useState<View>(() => controller?.view() ?? initialView(boot))
  useEffect(() => controller?.subscribe(() => setView(controller.view())), [controller])
  return view
}

/** Only what follows the voice reads this: the caption and the thread. */
export function useSpoken(): Spoken | null {
  const { controller } = useRoom()
  const [spoken, setSpoken] = useState<Spoken | null>(() => controller?.spoken() ?? null)
  useEffect(() => controller?.subscribeSpoken(() => setSpoken(controller.spoken())), [controller])
  return spoken
}

/** The sentence of the run's state. */
export function statusWords(view: View, t: T): string {
  const { room } = view
  const slide = { slide: room.slideIndex + 1, count: room.slides.length }
  switch (room.status) {
    case 'answering': {
      const asked = room.questions.find((question) => question.status === 'answering')
      if (asked?.mine) return t('status.answering_you')
      return asked?.by?.name ? t('status.answering', { name: asked.by.name }) : t('status.answering_someone')
    }
    case 'paused':
      if (room.by === 'host') return t('status.paused_host')
      if (view.pausedAway || room.by === 'system') return t('status.paused_away')
      return room.by === 'attendee' ? t('status.paused_you') : t('status.paused')
    case 'presenting':
      return t('status.presenting', slide)
    case 'lobby':
      return t('status.lobby')
    case 'handed_over':
      return t('status.handed_over')
    case 'closing':
      return t('status.closing')
    case 'completed':
      return t('status.completed')
    case 'failed':
      return t('status.failed')
  }
}
