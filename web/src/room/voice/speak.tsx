// The button that takes a spoken question, fetched with its first press. The text lands in the field for editing; it is never sent by
// itself. While somebody speaks an isolated talk is silent; where no words came it goes on from its clause.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { useRoom } from '../use-room.ts'
import { wear } from '../later.tsx'
import { browserEars, type Listening, serverEars } from './listening.ts'
import style from './microphone.css?inline'

wear(style)

type Phase = 'idle' | 'consent' | 'listening' | 'waiting' | 'failed'

export function Speak({ icon, onHeard }: { icon: ComponentChildren; onHeard: (text: string) => void }) {
  const { boot, t, view, controller } = useRoom()
  const [phase, setPhase] = useState<Phase>('idle')
  const running = useRef<Listening | null>(null)
  const heard = useRef(onHeard)
  heard.current = onHeard
  const hasServer = boot.room.voices.stt

  const listen = () => {
    const seat = controller?.seat()
    if (!controller || !seat) return
    controller.hush(true)
    setPhase('listening')
    const over = (next: Phase) => {
      running.current = null
      setPhase(next)
    }
    const hooks = {
      waiting: () => setPhase('waiting'),
      heard(text: string) {
        over('idle')
        heard.current(text)
      },
      failed() {
        over('failed')
        controller.hush(false)
      },
    }
    running.current = hasServer
      ? serverEars({ url: `/api/v1/runs/${seat.runId}/utterances`, token: seat.attendeeToken }, hooks)
      : browserEars(boot.room.language, hooks)
  }
  const press = () => {
    if (phase === 'listening') running.current?.stop()
    else if (phase === 'waiting') return
    else if (hasServer || view.choices.browserEars === true) listen()
    else setPhase(phase === 'consent' ? 'idle' : 'consent')
  }
  useEffect(() => {
    press()
    return () => running.current?.cancel()
  }, [])
  return (
    <>
      <Button kind="quiet" aria-pressed={phase === 'listening'} onClick={press}>
        {icon}
        <span class="btn-word">{phase === 'listening' ? t('ask.listening') : t('ask.speak')}</span>
      </Button>
      {phase !== 'idle' && (
        <p class="small muted speak-note" role="status">
          {phase === 'failed'
            ? t('ask.speech_failed')
            : phase === 'waiting'
              ? t('ask.speech_wait')
              : t(hasServer ? 'ask.ears_note' : 'ask.speech_note')}
          {phase === 'consent' && (
            <>
              {' '}
              <Button
                dense
                onClick={() => {
                  controller?.choose({ browserEars: true })
                  listen()
                }}
              >
                {t('ask.speech_ok')}
              </Button>
            </>
          )}
        </p>
      )}
    </>
  )
}
