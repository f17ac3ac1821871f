// Pause, move, speak yourself, end: what may be done follows the state of the run; a refusal is told in words.
import { useEffect, useRef } from 'preact/hooks'
import type { RoomState } from '../../room/stream/state.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { orToast } from '../data/undoable.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { OpenButton } from '../parts/open-button.tsx'
import { allSaid, HostVoice } from './host-voice.tsx'
import { hostAct, type HostAction } from './live-run.ts'

export function LiveControls({ sessionId, runId, state }: { sessionId: string; runId: string; state: RoomState }) {
  const act = (action: HostAction) => void orToast(hostAct(runId, action))
  const { status, slides, slideIndex } = state
  const isPaused = status === 'paused'
  const isMine = status === 'handed_over'
  const isSilent = isMine || isPaused || status === 'lobby'
  if (status === 'completed') return <Afterwards sessionId={sessionId} runId={runId} />
  return (
    <div class="live-controls" role="group" aria-label="Controls">
      <div class="actions">
        {status === 'lobby' || status === 'failed' ? (
          <Button kind="primary" onClick={() => act({ action: 'start' })}>
            {status === 'lobby' ? 'Start' : 'Start again'}
          </Button>
        ) : isPaused ? (
          <Button kind="primary" onClick={() => act({ action: 'resume' })}>
            Resume
          </Button>
        ) : (
          <Button disabled={isMine} onClick={() => act({ action: 'pause' })}>
            Pause
          </Button>
        )}
        <Button disabled={slideIndex === 0 || status === 'lobby'} onClick={() => act({ action: 'previous' })}>
          Previous
        </Button>
        <Button disabled={slideIndex >= slides.length - 1 || status === 'lobby'} onClick={() => act({ action: 'next' })}>
          Next
        </Button>
        <label class="goto">
          <span>Go to</span>
          <select
            class="input"
            value={String(slideIndex)}
            onChange={(event) => act({ action: 'goto', slideIndex: Number(event.currentTarget.value) })}
          >
            {slides.map((slide) => (
              <option key={slide.id} value={String(slide.index)} selected={slide.index === slideIndex}>
                {`${slide.index + 1}  ${slide.title ?? ''}`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="actions">
        {isMine ? (
          <Button kind="primary" onClick={() => void allSaid().then(() => act({ action: 'hand_back' }))}>
            Hand back
          </Button>
        ) : (
          <Button onClick={() => act({ action: 'take_over' })}>Take over</Button>
        )}
        <OpenButton
          kind="danger"
          opens={(onClose) => (
            <FormDialog act="End" kind="danger" title="End this talk?" submit={() => hostAct(runId, { action: 'end' })} onClose={onClose}>
              {() => <p>The presenter says goodbye, shows the offer and closes the room. It cannot be taken up again.</p>}
            </FormDialog>
          )}
        >
          End
        </OpenButton>
      </div>
      {isSilent && <HostVoice runId={runId} />}
      <p class="field-hint">
        {status === 'lobby'
          ? 'Start lets the presenter begin. To begin at another slide, go to it.'
          : isMine
            ? 'The presenter is silent, the slides follow you, and the room hears each phrase of yours some seconds later. Questions are collected. Hand back and it goes on where it stopped.'
            : 'Take over to speak yourself: the presenter falls silent and the slides follow you.'}
      </p>
    </div>
  )
}

function Afterwards({ sessionId, runId }: { sessionId: string; runId: string }) {
  const own = `/dashboard/sessions/${sessionId}`
  const words = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    // The button that ended the talk went with the talk, and the focus with it.
    if (document.activeElement === document.body) words.current?.focus()
  }, [])
  return (
    <div class="live-controls">
      <p ref={words} tabIndex={-1}>
        The talk is over. What was said and asked is kept.
      </p>
      <div class="actions">
        <a class={buttonClass('primary')} href={`${own}/runs/${runId}`}>
          Open replay
        </a>
        <a class={buttonClass()} href={`${own}/analytics`}>
          Analytics
        </a>
        <a class={buttonClass()} href={`${own}/leads`}>
          Leads
        </a>
      </div>
    </div>
  )
}
