// Sending files from a dialog: chosen or dropped, sent with their progress, refused in words with everything kept.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { wordsOf } from '../data/api.ts'
import { FileField, type FileKind } from './file-field.tsx'

export interface UploadDialogProps {
  /** The title, and what the button says. */
  act: string
  kind: FileKind
  /** What it means, before the field. */
  children?: ComponentChildren
  /** Sends the files and does what follows; `onProgress` is told how much is sent, 0..1. */
  send: (files: readonly File[], onProgress: (share: number) => void) => Promise<void>
  /** Takes an address instead of files, where that is offered. */
  sendLink?: (url: string) => Promise<void>
  onClose: () => void
}

export function UploadDialog({ act, kind, children, send, sendLink, onClose }: UploadDialogProps) {
  const [files, setFiles] = useState<readonly File[]>([])
  const [progress, setProgress] = useState<number>()
  const [link, setLink] = useState('')
  const [error, setError] = useState<string>()
  const isEmpty = files.length === 0 && (sendLink === undefined || link.trim() === '')
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const url = link.trim()
    if (progress !== undefined || isEmpty) return
    setProgress(0)
    setError(undefined)
    try {
      if (files.length === 0 && sendLink !== undefined) await sendLink(url)
      else await send(files, setProgress)
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
        {sendLink !== undefined && files.length === 0 && (
          <TextField
            label="Or a link"
            name="link"
            type="url"
            placeholder="https://"
            hint="To a PDF or a PowerPoint file that anybody can open."
            onInput={(event: { currentTarget: HTMLInputElement }) => setLink(event.currentTarget.value)}
          />
        )}
        {error !== undefined && (
          <p class="note note-red" role="alert">
            {error}
          </p>
        )}
        {progress !== undefined && <progress aria-label="Upload" max={1} value={progress} />}
        <div class="actions actions-end">
          <Button kind="primary" type="submit" busy={progress !== undefined} disabled={isEmpty}>
            {act}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
