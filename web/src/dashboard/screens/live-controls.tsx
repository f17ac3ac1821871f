// Pause, move, speak yourself, end: what may be done follows the state of the run; a refusal is told in words.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { RoomState } from '../../room/state.ts'
import type { HostAction } from '../live-run.ts'
import { hostAct } from '../live-run.ts'
import { orToast } from '../undoable.ts'

export function LiveControls({ runId, state }: { runId: string; state: RoomState }) {
  const [isEnding, setEnding] = useState(false)
  const act = (action: HostAction) => void orToast(hostAct(runId, action))
  const { status, slides, slideIndex } = state
  const isOver = status === 'completed'
  const isPaused = status === 'paused'
  const isMine = status === 'handed_over'
  if (isOver) return <p class="muted">The talk is over. Its transcript is under Last runs on the overview.</p>
  return (
    <div class="live-controls" role="group" aria-label="Controls">
      <div class="actions">
        {status === 'lobby' ? (
          <Button kind="primary" onClick={() => act({ action: 'start' })}>
            Start
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
        <Button disabled={slideIndex === 0} onClick={() => act({ action: 'previous' })}>
          Previous
        </Button>
        <Button disabled={slideIndex >= slides.length - 1} onClick={() => act({ action: 'next' })}>
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
          <Button kind="primary" onClick={() => act({ action: 'hand_back' })}>
            Hand back
          </Button>
        ) : (
          <Button onClick={() => act({ action: 'take_over' })}>Take over</Button>
        )}
        <Button kind="danger" onClick={() => setEnding(true)}>
          End
        </Button>
      </div>
      <p class="field-hint">
        {isMine
          ? 'The presenter is silent and the slides follow you. Questions are collected. Hand back and it goes on where it stopped.'
          : 'Take over to speak yourself: the presenter falls silent and the slides follow you.'}
      </p>
      {isEnding && (
        <Dialog open title="End this talk?" closeLabel="Cancel" onClose={() => setEnding(false)}>
          <div class="form">
            <p>The presenter says goodbye, shows the offer and closes the room. It cannot be taken up again.</p>
            <div class="actions actions-end">
              <Button
                kind="danger"
                onClick={() => {
                  setEnding(false)
                  act({ action: 'end' })
                }}
              >
                End
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </div>
  )
}
