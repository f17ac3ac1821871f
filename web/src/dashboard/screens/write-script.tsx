// Has the narration put into better words by a language model, shows how far it is, and takes it back. Absent where none is configured.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { discardWritten, writeScript } from '../deck-acts.ts'
import { plural } from '../format.ts'
import { orToast } from '../undoable.ts'
import type { Beat, Writing } from '../wire.ts'

export function WriteScript({ sessionId, beats, writing }: { sessionId: string; beats: readonly Beat[]; writing: Writing }) {
  const [isBusy, setBusy] = useState(false)
  const [withNotes, setWithNotes] = useState(true)
  if (writing.state === 'off') return null
  const act = (done: Promise<void>) => {
    setBusy(true)
    void orToast(done).finally(() => setBusy(false))
  }
  const written = beats.filter(({ author }) => author === 'model').length
  const isWriting = writing.state === 'writing'
  return (
    <div class="write-script" data-testid="write-script">
      <p class="small" role="status">
        {words(writing, written)}
      </p>
      <Checkbox
        label="The model may read my private notes, for the tone. They are sent to its provider and never said."
        name="withNotes"
        checked={withNotes}
        onChange={setWithNotes}
      />
      <div class="actions">
        <Button dense busy={isBusy || isWriting} onClick={() => act(writeScript(sessionId, withNotes))}>
          {written > 0 ? 'Write the rest' : 'Write the script with the model'}
        </Button>
        {written > 0 && !isWriting && (
          <Button kind="quiet" dense disabled={isBusy} onClick={() => act(discardWritten(sessionId))}>
            Back to the compiled script
          </Button>
        )}
      </div>
    </div>
  )
}

function words({ state, slides, failed = 0, stopped }: Writing, written: number): string {
  if (state === 'writing') return `The model is writing: ${slides?.done ?? 0} of ${plural(slides?.total ?? 0, 'slide')}.`
  const fault = failed > 0 ? ` It failed on ${plural(failed, 'slide')}; those stay as they were.` : ''
  const trouble = stopped === undefined ? fault : `${fault} The model calls of today are used up; write the rest tomorrow.`
  if (written === 0)
    return `The script is compiled from your slides. A language model can put it into better words; each sentence is checked.${trouble}`
  return `${plural(written, 'sentence')} written by the model, checked against the slides and yours to change.${trouble}`
}
