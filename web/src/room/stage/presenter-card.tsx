// Who speaks: the name and the portrait that the host chose, a monogram otherwise, that it is automated, what it does in words, and a
// level that follows the sound or, in silence, the caption. Not live for screen readers: the state is told once, by the status.
import { Mic } from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../ui/icon.tsx'
import type { MessageKey } from '../../ui/words.ts'
import { statusWords, useRoom } from '../use-room.ts'
import type { View } from '../view.ts'
import { barsOf } from '../voice/level.ts'
import { monogram } from './monogram.ts'

type PresenterState = 'speaking' | 'thinking' | 'answering' | 'listening' | 'paused' | 'waiting'

export function presenterState({ room, hushed }: View): PresenterState {
  switch (room.status) {
    case 'presenting':
      // Of a poll the question has been said.
      return hushed || (room.polls.some(({ open }) => open) && room.lines.at(-1)?.finished) ? 'listening' : 'speaking'
    case 'answering': {
      const asked = room.questions.find(({ status }) => status === 'answering')
      return asked?.answer?.sentences.length ? 'answering' : 'thinking'
    }
    case 'closing':
      return room.windowUntil === null ? 'speaking' : 'listening'
    case 'paused':
      return 'paused'
    default:
      return 'waiting'
  }
}

/** The others are those of the status. */
const stateWords: Readonly<Partial<Record<PresenterState, MessageKey>>> = {
  speaking: 'presenter.speaking',
  thinking: 'question.thinking',
  listening: 'listen.hearing',
}

export function PresenterCard() {
  const { boot, t, view } = useRoom()
  const { name, imageUrl } = boot.room.presenter ?? {}
  const host = boot.room.brand?.name
  const state = presenterState(view)
  const said = stateWords[state]
  // Nobody automated speaks.
  if (view.room.status === 'handed_over')
    return (
      <div class="presenter" data-testid="presenter-card" data-state={state}>
        <span class="portrait" aria-hidden="true">
          <Icon of={Mic} />
        </span>
        <p class="presenter-name">
          <bdi>{statusWords(view, t)}</bdi>
          {host && <span>{host}</span>}
        </p>
      </div>
    )
  return (
    <div class="presenter" data-testid="presenter-card" data-state={state}>
      {imageUrl ? (
        <img class="portrait" src={imageUrl} alt="" width={40} height={40} />
      ) : (
        name && (
          <span class="portrait" aria-hidden="true">
            {monogram(name)}
          </span>
        )
      )}
      <p class="presenter-name">
        {name && <bdi>{name}</bdi>}{' '}
        <span class={host ? 'presenter-short' : undefined}>{t(name ? 'presenter.automated' : 'presenter.title')}</span>
        {host && <span class="presenter-long">{t(name ? 'presenter.automated_brand' : 'presenter.title_brand', { host })}</span>}
      </p>
      <Level moves={state === 'speaking' || state === 'answering'} />
      <p class="presenter-state">{said ? t(said) : statusWords(view, t)}</p>
    </div>
  )
}

const bars = [0, 1, 2, 3] as const

/** Written to the elements themselves: it changes many times a second. Boxes, not shapes: those would be laid out at each frame. */
function Level({ moves }: { moves: boolean }) {
  const { controller } = useRoom()
  const group = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const set = (levels: readonly number[]) =>
      [...(group.current?.children ?? [])].forEach((bar, at) => {
        if (bar instanceof HTMLElement) bar.style.transform = `scaleY(${levels[at] ?? 0})`
      })
    const rest = () => set([0.15, 0.15, 0.15, 0.15])
    if (!moves || controller === null) return rest()
    const draw = () => set(controller.level() ?? barsOf(controller.spoken()))
    draw()
    const stopSpoken = controller.subscribeSpoken(draw)
    const stopSound = controller.subscribeLevel(draw)
    return () => {
      stopSpoken()
      stopSound()
    }
  }, [controller, moves])
  return (
    <span ref={group} class="level" data-testid="level" aria-hidden="true">
      {bars.map((at) => (
        <i key={at} />
      ))}
    </span>
  )
}
