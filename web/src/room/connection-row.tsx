// The 32 px row between header and slide: reserved when empty, so that nothing moves when the connection is lost.
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { webClock } from '../ui/clock.ts'
import { useRoom } from './use-room.ts'

const connectingAfterMs = 1_000
const retryAfterMs = 20_000

export function ConnectionRow() {
  const { t, view, controller } = useRoom()
  const { connection, leaving, room } = view
  const { state, since, reason } = connection
  const [, refresh] = useState(0)
  useEffect(() => {
    const due = state === 'connecting' ? connectingAfterMs : state === 'reconnecting' ? retryAfterMs : null
    return due === null ? undefined : webClock.after(due, () => refresh((count) => count + 1))
  }, [state, since])
  const age = state === 'idle' ? 0 : webClock.elapsed() - since
  return (
    <div class="connection" data-testid="connection" data-state={state} role="status">
      {leaving ? (
        <>
          <span>{t('leave.leaving')}</span>
          <Button dense onClick={() => controller?.undoLeave()}>
            {t('leave.undo')}
          </Button>
        </>
      ) : (
        <>
          {state === 'connecting' && age >= connectingAfterMs && <span>{t('connection.connecting')}</span>}
          {state === 'reconnecting' && <span>{t('connection.reconnecting')}</span>}
          {state === 'reconnecting' && age >= retryAfterMs && (
            <Button dense onClick={() => controller?.wake()}>
              {t('connection.retry')}
            </Button>
          )}
          {state === 'live' && <SoundNotice />}
          {state === 'offline' && <span>{t('connection.offline')}</span>}
          {state === 'closed' && (reason === 'superseded' || room.closed === 'superseded') && (
            <>
              <span>{t('closed.superseded')}</span>
              <Button dense onClick={() => controller?.takeHere()}>
                {t('closed.here')}
              </Button>
            </>
          )}
        </>
      )}
    </div>
  )
}

/** Sound that could not be given; in the reserved row, so that nothing moves for it. */
function SoundNotice() {
  const { t, view, controller } = useRoom()
  const { notice } = view
  if (notice === null) return null
  if (notice === 'no_voice') return <span>{t('sound.no_voice')}</span>
  return (
    <Button dense onClick={() => controller?.setSound(true)}>
      {t('sound.turn_on')}
    </Button>
  )
}
