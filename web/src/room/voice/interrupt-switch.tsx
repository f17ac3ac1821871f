// Turns the microphone on, by consent each time, so that the presenter can be interrupted by voice; a button says as long as it is open.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { microphone } from '../rail/composer.tsx'
import { useRoom } from '../use-room.ts'
import { startInterrupting } from './interrupting.ts'
import { openMicrophone } from './listening.ts'
import { wear } from '../later.tsx'
import style from './microphone.css?inline'

wear(style)

type Phase = 'asking' | 'opening' | 'refused' | 'on' | 'hearing'

export function InterruptSwitch({ onOff }: { onOff: () => void }) {
  const { boot, t, controller } = useRoom()
  const [phase, setPhase] = useState<Phase>('asking')
  const stop = useRef<(() => void) | null>(null)
  const isGone = useRef(false)
  const hasServer = boot.room.voices.stt
  useEffect(
    () => () => {
      isGone.current = true
      stop.current?.()
    },
    [],
  )
  const open = async () => {
    setPhase('opening')
    const sound = await openMicrophone().catch(() => null)
    if (sound === null || controller === null) return setPhase('refused')
    const close = () => sound.getTracks().forEach((track) => track.stop())
    if (isGone.current) return close()
    // Unplugged, or taken back in the browser's own settings.
    for (const track of sound.getTracks()) track.onended = onOff
    const onHearing = (on: boolean) => setPhase(on ? 'hearing' : 'on')
    const { language } = boot.room
    stop.current = startInterrupting({ controller, microphone: sound, language, follows: boot.follows, hasServer, onHearing })
    setPhase('on')
  }
  const isOn = phase === 'on' || phase === 'hearing'
  const hears = phase === 'hearing'
  return (
    <>
      {isOn && (
        <Button kind="quiet" class="mic" aria-pressed onClick={onOff}>
          {microphone}
          <span class="mic-words">
            <span data-off={hears ? '' : undefined}>{t('listen.on')}</span>
            <span data-off={hears ? undefined : ''}>{t('listen.hearing')}</span>
          </span>
        </Button>
      )}
      <Dialog open={!isOn} title={t('listen.title')} closeLabel={t('close')} onClose={onOff}>
        <div class="consent">
          <p>{t('listen.note')}</p>
          <p class="muted">{t(hasServer ? 'listen.server' : 'listen.browser')}</p>
          {phase === 'refused' && (
            <p class="field-error" role="alert">
              {t('listen.refused')}
            </p>
          )}
          <div class="actions">
            <Button kind="primary" busy={phase === 'opening'} onClick={() => void open()}>
              {t('listen.start')}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  )
}
