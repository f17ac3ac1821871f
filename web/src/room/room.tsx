// The attendee room: header, connection row, then the door, the talk or the recap. Drawn on the server as the door and taken over here.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { translator } from '../ui/words.ts'
import type { MessageKey } from '../ui/words.ts'
import type { Boot } from './stream/boot.ts'
import { ConnectionRow } from './connection-row.tsx'
import type { Controller } from './stream/controller.ts'
import { Door } from './door.tsx'
import { Header } from './header.tsx'
import { later } from './later.tsx'
import { RoomDialog } from './room-dialog.tsx'
import { Rail } from './rail/rail.tsx'
import { useRoomEffects } from './room-effects.ts'
import { Stage } from './stage/stage.tsx'
import { webClock } from '../ui/clock.ts'
import { RoomScope, statusWords, timeWords, useRoom } from './use-room.ts'
import { initialView, isOver, isRailOpen } from './view.ts'

const EndRecap = later(() => import('./rail/recap.tsx').then((found) => found.EndRecap))
const Rehearsal = later(() => import('./rail/rehearsal.tsx').then((found) => found.Rehearsal))

export function Room({ boot, controller }: { boot: Boot; controller: Controller | null }) {
  const t = useMemo(() => translator<MessageKey>(boot.strings as Record<MessageKey, string>, boot.language), [boot])
  const [view, setView] = useState(() => controller?.view() ?? initialView(boot))
  useEffect(() => {
    // What changed between drawing and now (a seat that was taken up again) is seen at once.
    const follow = () => controller && setView(controller.view())
    follow()
    return controller?.subscribe(follow)
  }, [controller])
  return (
    <RoomScope.Provider value={{ boot, t, controller, view }}>
      <RoomFrame />
    </RoomScope.Provider>
  )
}

function RoomFrame() {
  const { boot, t, view, controller } = useRoom()
  const isShort = useRoomEffects(controller)
  const over = isOver(view)
  // While the room answers the talk is drawn, which a slow telephone takes as long for.
  const joining = view.phase === 'joining'
  const inTalk = joining || (view.phase === 'in' && !over)
  // What ends the talk is there by then, so that nothing jumps.
  const hasBegun = view.spokenId !== null
  useEffect(() => {
    if (hasBegun) void EndRecap.ahead().catch(() => undefined)
  }, [hasBegun])
  const textDeck = boot.room.slides[0]?.imageUrl === null
  const layout = inTalk ? 'talk' : view.phase === 'in' || view.phase === 'over' ? 'end' : 'before'
  const isTheatre = view.theatre || isShort
  const isOpen = isTheatre ? view.rail === true : isRailOpen(view, boot.room.mode === 'isolated')
  return (
    <div
      class={`room room-${layout}${boot.embed ? ' room-embed' : ''}${textDeck ? ' deck-text' : ''}${boot.room.cta === null ? '' : ' room-offers'}`}
      data-dim={view.choices.dim ? '' : undefined}
      data-rail={isOpen ? 'open' : 'closed'}
      data-theatre={isTheatre ? '' : undefined}
    >
      {inTalk && (
        <a class="skip" href="#rail">
          {t('header.skip')}
        </a>
      )}
      {boot.room.kind === 'rehearsal' && (
        <Rehearsal>
          <aside class="rehearsal">{t('rehearsal.bar')}</aside>
        </Rehearsal>
      )}
      <Header />
      <ConnectionRow />
      <main data-state={view.room.status} data-seq={view.room.seq}>
        <StatusSentence />
        {layout === 'before' && <Door />}
        {layout === 'talk' && (
          <>
            <div class="talk" inert={joining}>
              {view.room.status === 'lobby' && view.room.cursor !== null && controller?.isolated === false && <Lobby />}
              <Stage />
            </div>
            <Rail isOpen={isOpen} />
          </>
        )}
        {layout === 'end' && <EndRecap />}
      </main>
      <RoomDialog />
    </div>
  )
}

/** Told when the state changes, not when the slide does. */
function StatusSentence() {
  const { t, view } = useRoom()
  const { status, by } = view.room
  const [sentence, setSentence] = useState('')
  const asked = view.room.questions.find((question) => question.status === 'answering')?.questionId
  useEffect(() => {
    if (view.phase === 'in') setSentence(statusWords(view, t))
  }, [view.phase, status, by, asked])
  return (
    <p class="vh" role="status">
      {sentence}
    </p>
  )
}

/** Days and hours while there are days, then a clock. Nobody is read every second. */
function Countdown({ at }: { at: number }) {
  const { boot, t } = useRoom()
  const [now, setNow] = useState(() => webClock.now())
  useEffect(() => webClock.after(1_000 - (webClock.now() % 1_000), () => setNow(webClock.now())), [now])
  const seconds = Math.ceil((at - now) / 1_000)
  if (seconds <= 0) return null
  const unit = (value: number, name: 'day' | 'hour') =>
    new Intl.NumberFormat(boot.language, { style: 'unit', unit: name, unitDisplay: 'long' }).format(value)
  const hours = Math.floor(seconds / 3_600)
  const two = (value: number) => String(value % 60).padStart(2, '0')
  const clock = `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(seconds / 60))}:${two(seconds)}`
  const left = hours < 24 ? clock : `${unit(Math.floor(hours / 24), 'day')}, ${unit(hours % 24, 'hour')}`
  return (
    <span role="timer" class="tabular" data-testid="countdown">
      {t('lobby.in', { time: left })}
    </span>
  )
}

function Lobby() {
  const { boot, t, view } = useRoom()
  const { room } = view
  return (
    <p class="note lobby">
      <b>
        {room.startsAt
          ? t('lobby.at', { time: timeWords(boot, new Date(room.startsAt)) })
          : t(boot.room.startPolicy === 'first_attendee' ? 'lobby.soon' : 'lobby.host')}
      </b>{' '}
      {room.startsAt && <Countdown at={new Date(room.startsAt).getTime()} />} {room.presence > 0 && t('lobby.here', { n: room.presence })}
    </p>
  )
}
