// The menu of the room: what has no button of its own, or none on a phone. Fetched with its first press, and open from then on.
import { useState } from 'preact/hooks'
import type { MenuItem } from '../ui/menu.tsx'
import { Menu } from '../ui/menu.tsx'
import { canListen } from './rail/composer.tsx'
import { fillScreen } from './stage/full-screen.ts'
import type { InterruptSwitch } from './voice/interrupt-switch.tsx'
import type { Boot } from './stream/boot.ts'
import { languageName, useRoom } from './use-room.ts'
import './theatre.ts'

export function RoomMenu() {
  const { boot, t, view, controller } = useRoom()
  const { choices, sound, room, offerHidden } = view
  const [found, setFound] = useState<{ InterruptSwitch: typeof InterruptSwitch } | null>(null)
  if (controller === null) return null
  const { choose } = controller
  const sizes: readonly MenuItem[] = (['s', 'm', 'l'] as const).map((size) => ({
    label: t(`header.size_${size}`),
    checked: choices.captionSize === size,
    begins: size === 's',
    onSelect: () => choose({ captionSize: size }),
  }))
  const offer: readonly MenuItem[] =
    room.cta.state !== 'hidden' && (offerHidden || room.cta.state === 'dismissed')
      ? [{ label: t('header.offer'), onSelect: () => controller.showOffer() }]
      : []
  const offered = boot.room.listenerLanguages ?? []
  const follows: readonly MenuItem[] =
    offered.length === 0
      ? []
      : [null, ...offered].map((language) => ({
          label: language === null ? t('follow.as_said') : languageName(language),
          checked: choices.follow === language,
          begins: language === null,
          onSelect: () => choose({ follow: language }),
        }))
  const off = () => setFound(null)
  const interrupts: readonly MenuItem[] =
    controller.isolated && 'mediaDevices' in navigator && canListen(boot)
      ? [
          {
            label: t('listen.title'),
            checked: found !== null,
            onSelect: () => (found === null ? void import('./voice/interrupt-switch.tsx').then(setFound) : off()),
          },
        ]
      : []
  const reads = choices.readOut ?? !sound
  return (
    <>
      {found && <found.InterruptSwitch onOff={off} />}
      <Menu
        label={t('header.more')}
        openAtOnce
        items={[
          { label: t('header.captions'), checked: choices.captions, onSelect: () => choose({ captions: !choices.captions }), keys: 'C' },
          ...follows,
          ...sizes,
          { label: t('header.dim'), begins: true, checked: choices.dim, onSelect: () => choose({ dim: !choices.dim }) },
          { label: t('header.theatre'), checked: view.theatre, onSelect: () => controller.theatre(!view.theatre), keys: 'F' },
          { label: t('header.full'), checked: !!document.fullscreenElement, onSelect: () => fillScreen(controller) },
          { label: t('header.read_aloud'), checked: reads, onSelect: () => choose({ readOut: !reads }) },
          ...interrupts,
          ...offer,
          ...toHost(boot, { label: t('header.details'), onSelect: () => controller.show({ type: 'details' }) }),
          { label: t('header.keys'), begins: true, onSelect: () => controller.show({ type: 'keys' }), keys: '?' },
          ...toHost(boot, { label: t('report'), onSelect: () => void open(`/report/${boot.key}`, '_blank', 'noopener') }),
          { label: t('header.leave'), onSelect: () => controller.leave() },
        ]}
      />
    </>
  )
}

const toHost = ({ isKept }: Boot, item: MenuItem): readonly MenuItem[] => (isKept ? [] : [item])
