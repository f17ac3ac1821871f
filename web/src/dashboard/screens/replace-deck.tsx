// Sending a new deck: the old one stays in service until the new one is ready, and for good if that fails.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { upload, wordsOf } from '../api.ts'
import { refreshDeck } from '../deck-acts.ts'
import { deckForm, FileField } from '../file-field.tsx'
import { sessionPath } from '../queries.ts'

export function ReplaceDeck({ id, onClose }: { id: string; onClose: () => void }) {
  const [files, setFiles] = useState<readonly File[]>([])
  const [progress, setProgress] = useState<number>()
  const [error, setError] = useState<string>()
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    if (progress !== undefined || files.length === 0) return
    setProgress(0)
    setError(undefined)
    try {
      await upload(sessionPath(id, '/deck'), deckForm(files), setProgress)
      await refreshDeck(id)
      showToast({ text: 'The deck is sent and being read.' })
      onClose()
    } catch (refused) {
      setError(wordsOf(refused))
      setProgress(undefined)
    }
  }
  return (
    <Dialog open title="Replace deck" closeLabel="Cancel" onClose={onClose}>
      <form class="form" onSubmit={(event) => void send(event)}>
        <p class="muted">People in a running talk keep the slides they have. Questions and figures stay on slides that did not change.</p>
        <FileField label="Slides" files={files} onChange={setFiles} />
        {error !== undefined && (
          <p class="note note-red" role="alert">
            {error}
          </p>
        )}
        {progress !== undefined && <progress aria-label="Upload" max={1} value={progress} />}
        <div class="actions actions-end">
          <Button kind="primary" type="submit" busy={progress !== undefined} disabled={files.length === 0}>
            Replace deck
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
