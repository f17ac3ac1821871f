// Sending files from a dialog: chosen or dropped, sent with their progress, refused in words with everything kept.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { wordsOf } from './api.ts'
import type { FileKind } from './file-field.tsx'
import { FileField, filesForm } from './file-field.tsx'

export interface UploadDialogProps {
  /** The title, and what the button says. */
  act: string
  kind: FileKind
  /** What it means, before the field. */
  children?: ComponentChildren
  /** Sends the files and does what follows; `onProgress` is told how much is sent, 0..1. */
  send: (form: FormData, onProgress: (share: number) => void) => Promise<void>
  onClose: () => void
}

export function UploadDialog({ act, kind, children, send, onClose }: UploadDialogProps) {
  const [files, setFiles] = useState<readonly File[]>([])
  const [progress, setProgress] = useState<number>()
  const [error, setError] = useState<string>()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (progress !== undefined || files.length === 0) return
    setProgress(0)
    setError(undefined)
    try {
      await send(filesForm(files), setProgress)
      onClose()
    } catch (refused) {
      setError(wordsOf(refused))
      setProgress(undefined)
    }
  }
  return (
    <Dialog open title={act} closeLabel="Cancel" onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {children}
        <FileField kind={kind} files={files} onChange={setFiles} />
        {error !== undefined && (
          <p class="note note-red" role="alert">
            {error}
          </p>
        )}
        {progress !== undefined && <progress aria-label="Upload" max={1} value={progress} />}
        <div class="actions actions-end">
          <Button kind="primary" type="submit" busy={progress !== undefined} disabled={files.length === 0}>
            {act}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
