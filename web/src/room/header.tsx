// The top of the room: title, people, and at most four labelled controls; the rest is in the menu.
import { useState } from 'preact/hooks'
import { BrandMark } from '../ui/brand-mark.tsx'
import { Button } from '../ui/button.tsx'
import { later } from './later.tsx'
import { languageName, minutesLeft, useRoom } from './use-room.ts'
import { inFollowed, isOver } from './view.ts'

const Menu = later(() => import('./room-menu.tsx').then(({ RoomMenu }) => RoomMenu))

export function Header() {
  const { boot, t, view, controller } = useRoom()
  const inRoom = view.phase === 'in'
  const minutes = minutesLeft(boot, view.room)
  const timeLeft = minutes < 1 ? t('header.left_less') : t('header.left', { n: Math.round(minutes) })
  return (
    <header class="room-header">
      <div class="room-name">
        {boot.room.brand && <BrandMark brand={boot.room.brand} />}
        <h1>
          <bdi>{inFollowed(view, boot.room.title)}</bdi>
        </h1>
      </div>
      {inRoom && (view.room.status === 'presenting' || view.room.status === 'paused') && <p class="people small wide-only">{timeLeft}</p>}
      {inRoom && view.room.hands > 0 && <p class="people small tabular wide-only">{t('header.hands', { n: view.room.hands })}</p>}
      {inRoom && controller?.isolated === false && <People />}
      {inRoom && !isOver(view) && <Tools />}
    </header>
  )
}

const facesMost = 3

/** First letters of some who gave a name; how many there are stands there in any case. */
function People() {
  const { t, view } = useRoom()
  const { people, presence } = view.room
  const shown = people.slice(0, facesMost)
  return (
    <p class="people small tabular">
      <span class="wide-only faces" aria-hidden="true">
        {shown.map((letter, at) => (
          <span key={at} class="portrait">
            {letter}
          </span>
        ))}
        {shown.length > 0 && presence > shown.length && `+${presence - shown.length}`}
      </span>
      <span class={shown.length > 0 ? 'here-words' : undefined}>{t('header.here', { n: presence })}</span>
    </p>
  )
}

function Tools() {
  const { t, view, controller } = useRoom()
  const { choices, sound, notice, voice } = view
  const [presses, setPresses] = useState(0)
  return (
    <div class="tools">
      <Button
        kind="quiet"
        class="wide-only"
        aria-pressed={choices.captions}
        onClick={() => controller?.choose({ captions: !choices.captions })}
      >
        {t('header.captions')}
      </Button>
      {(voice || sound) && (
        <Button kind="quiet" aria-pressed={sound && notice === null} onClick={() => controller?.setSound(!sound || notice !== null)}>
          {t('header.sound')}
        </Button>
      )}
      {choices.follow !== null && (
        <Button
          kind="quiet"
          aria-pressed={!view.original}
          title={t('follow.note')}
          onClick={() => controller?.showOriginal(!view.original)}
        >
          {languageName(choices.follow)}
        </Button>
      )}
      <Menu wanted={presses}>
        <Button kind="quiet" aria-haspopup="menu" aria-expanded={false} onClick={() => setPresses(presses + 1)}>
          {t('header.more')}
        </Button>
      </Menu>
      <Button kind="quiet" class="wide-only" onClick={() => controller?.leave()}>
        {t('header.leave')}
      </Button>
    </div>
  )
}
