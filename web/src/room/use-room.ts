// Hooks of the room's components: the controller's view as state, and words that depend on it.
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Boot, T } from './stream/boot.ts'
import type { Controller } from './stream/controller.ts'
import type { Spoken, View } from './view.ts'

export interface RoomContext {
  boot: Boot
  t: T
  view: View
  /** Absent on the server, where nothing can be pressed. */
  controller: Controller | null
}

export const RoomScope = createContext<RoomContext | null>(null)

export function useRoom(): RoomContext {
  const context = useContext(RoomScope)
  if (context === null) throw new Error('outside the room')
  return context
}

/** Of what is being said, drawn anew only where that changes: all that follows the voice between two sentences. */
export function useSpoken<Of>(of: (spoken: Spoken | null) => Of): Of {
  const { controller } = useRoom()
  const [found, setFound] = useState(() => of(controller?.spoken() ?? null))
  useEffect(() => controller?.subscribeSpoken(() => setFound(() => of(controller.spoken()))), [controller])
  return found
}

/** As its own speakers call it. */
export const languageName = (language: string): string => new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language

export function timeWords({ language }: Boot, at: number | Date): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(at)
}

/** Of the slide on screen half is taken to be said. */
export function minutesLeft({ room }: Boot, { slideIndex, speed }: View['room']): number {
  const [now = 0, ...after] = room.slideSeconds.slice(slideIndex)
  return (now / 2 + after.reduce((sum, each) => sum + each, 0)) / 60 / speed
}

/** The sentence of the run's state. */
export function statusWords(view: View, t: T): string {
  const { room } = view
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
    default:
      return t(`status.${room.status}`, { slide: room.slideIndex + 1, count: room.slides.length })
  }
}
