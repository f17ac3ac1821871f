// The top of the room: title, people, and at most four labelled controls; the rest is in the menu.
import { Button } from '../ui/button.tsx'
import type { MenuItem } from '../ui/menu.tsx'
import { Menu } from '../ui/menu.tsx'
import { useRoom, useView } from './use-room.ts'
import { isOver } from './view.ts'

export interface HeaderProps {
  onKeys: () => void
  onDetails: () => void
}

export function Header({ onKeys, onDetails }: HeaderProps) {
  const { boot, t, controller } = useRoom()
  const view = useView()
  const inRoom = view.phase === 'in'
  return (
    <header class="room-header">
      <h1>
        <bdi>{boot.room.title}</bdi>
      </h1>
      {inRoom && controller?.isolated === false && <p class="people small tabular">{t('header.here', { n: view.room.presence })}</p>}
      {inRoom && !isOver(view) && <Tools onKeys={onKeys} onDetails={onDetails} />}
    </header>
  )
}

function Tools({ onKeys, onDetails }: HeaderProps) {
  const { t, controller } = useRoom()
  const { choices, sound, room, offerHidden } = useView()
  const choose = controller?.choose
  const sizes: readonly MenuItem[] = (['s', 'm', 'l'] as const).map((size) => ({
    label: t(`header.size_${size}`),
    checked: choices.captionSize === size,
    onSelect: () => choose?.({ captionSize: size }),
  }))
  const offer: readonly MenuItem[] =
    room.cta.state !== 'hidden' && (offerHidden || room.cta.state === 'dismissed')
      ? [{ label: t('header.offer'), onSelect: () => controller?.showOffer() }]
      : []
  return (
    <div class="tools">
      <Button kind="quiet" class="wide-only" aria-pressed={choices.captions} onClick={() => choose?.({ captions: !choices.captions })}>
        {t('header.captions')}
      </Button>
      <Button kind="quiet" aria-pressed={sound} onClick={() => controller?.setSound(!sound)}>
        {t('header.sound')}
      </Button>
      <Menu
        label={t('header.more')}
        items={[
          { label: t('header.captions'), checked: choices.captions, onSelect: () => choose?.({ captions: !choices.captions }), keys: 'C' },
          ...sizes,
          { label: t('header.dim'), checked: choices.dim, onSelect: () => choose?.({ dim: !choices.dim }) },
          { label: t('header.full'), onSelect: toggleFullScreen, keys: 'F' },
          {
            label: t('header.read_aloud'),
            checked: choices.readOut ?? !sound,
            onSelect: () => choose?.({ readOut: !(choices.readOut ?? !sound) }),
          },
          ...offer,
          { label: t('header.details'), onSelect: onDetails },
          { label: t('header.keys'), onSelect: onKeys, keys: '?' },
          { label: t('header.leave'), onSelect: () => controller?.leave() },
        ]}
      />
      <Button kind="quiet" class="wide-only" onClick={() => controller?.leave()}>
        {t('header.leave')}
      </Button>
    </div>
  )
}

export function toggleFullScreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen()
  else void document.documentElement.requestFullscreen?.().catch(() => undefined)
}
