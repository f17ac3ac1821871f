// Choosing or dropping files: a deck (one document, or images in the order of their slides), or documents for the knowledge.
import { FileUp } from 'lucide'
import { useId, useRef, useState } from 'preact/hooks'
import { titleOfFile } from '@rostrum/contract/file-title'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { showToast } from '../../ui/toast.tsx'

export interface FileKind {
  label: string
  /** What to do, on the empty field. */
  act: string
  /** What the browser's own dialog offers. */
  accept: string
  hint: (chosen: readonly File[]) => string
  /** Why these cannot be sent, if they cannot. The server decides by content; this only saves an upload. */
  refusal: (chosen: readonly File[]) => string | undefined
}

export const decks: FileKind = {
  label: 'Slides',
  act: 'Drop your slides here, or choose a file',
  accept: '.pdf,.pptx,.ppt,.odp,.md,image/png,image/jpeg,image/webp',
  hint: (chosen) =>
    chosen.length > 1
      ? `${chosen.length} images, in this order.`
      : 'PDF, PowerPoint, OpenDocument, Markdown or images, up to 50 MB. Speaker notes become private notes.',
  refusal: deckRefusal,
}

const documentsMax = 10

export const documents: FileKind = {
  label: 'Documents',
  act: 'Drop documents here, or choose files',
  accept: '.pdf,.md,.markdown,.txt,application/pdf,text/markdown,text/plain',
  hint: () =>
    `PDF, Markdown or plain text, up to ${documentsMax} files. Each heading or page becomes a passage. Everything in them may be quoted to people in the room.`,
  refusal: (chosen) => (chosen.length > documentsMax ? `Choose up to ${documentsMax} files at a time.` : tooLarge(chosen)),
}

const bytesMax = 50 * 1024 * 1024

function tooLarge(files: readonly File[]): string | undefined {
  if (files.reduce((sum, { size }) => sum + size, 0) <= bytesMax) return undefined
  return files.length > 1 ? 'Together the files are larger than 50 MB.' : 'The file is larger than 50 MB.'
}

/** The multipart body of an upload; the order of the parts is the order of the slides or passages. */
/** What a document is called, as a person writes it; pictures are called nothing. */
export const titleFrom = ([file, ...others]: readonly File[]): string => (others.length > 0 ? '' : titleOfFile(file?.name ?? ''))

function deckRefusal(files: readonly File[]): string | undefined {
  const found = files.filter(({ name }) => /\.(?:pdf|pptx?|odp|md)$/i.test(name))
  if (found.length > 1) return 'Choose one PDF, presentation or Markdown file, or several images.'
  if (found.length === 1 && files.length > 1) return 'Choose either one document or images, not both.'
  if (found.length === 0 && files.some(({ name }) => !/\.(?:png|jpe?g|webp)$/i.test(name)))
    return 'Choose a PDF, a PowerPoint or OpenDocument presentation, a Markdown file, or PNG, JPEG or WebP images.'
  return tooLarge(files)
}

export interface FileFieldProps {
  kind: FileKind
  files: readonly File[]
  onChange: (files: readonly File[]) => void
}

export function FileField({ kind, files, onChange }: FileFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [error, setError] = useState<string>()
  const take = (list: FileList | null) => {
    const chosen = Array.from(list ?? [])
    const why = kind.refusal(chosen)
    // A form that holds the field is not sent without the files that were meant.
    input.current?.setCustomValidity(why ?? '')
    setError(why)
    onChange(why === undefined ? chosen : [])
  }
  return (
    <div class="field">
      <label
        class={isOver ? 'drop drop-over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          const dropped = event.dataTransfer?.files
          if (dropped === undefined || dropped.length === 0 || input.current === null) return
          // The field itself names what it holds.
          input.current.files = dropped
          take(dropped)
        }}
      >
        <input
          ref={input}
          class="vh"
          name="files"
          type="file"
          multiple
          accept={kind.accept}
          aria-label={kind.label}
          aria-describedby={`${id}-hint${error === undefined ? '' : ` ${id}-error`}`}
          aria-invalid={error === undefined ? undefined : 'true'}
          onChange={(event) => take(event.currentTarget.files)}
        />
        <Icon of={FileUp} />
        <span class="drop-act">
          {files.length === 0
            ? kind.act
            : files.length === 1
              ? files[0]?.name
              : `${files.length} files: ${files.map(({ name }) => name).join(', ')}`}
        </span>
        <span id={`${id}-hint`} class="field-hint">
          {kind.hint(files)}
        </span>
      </label>
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

interface FileButtonProps extends Pick<ButtonProps, 'kind' | 'busy' | 'children'> {
  /** Of what is chosen. */
  label: string
  accept: string
  bytesMax: number
  onFile: (file: File) => void
}

/** One file, chosen in the browser's own dialog. */
export function FileButton({ label, accept, bytesMax: most, onFile, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        class="vh"
        type="file"
        accept={accept}
        aria-label={label}
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          currentTarget.value = ''
          if (file === undefined) return
          if (file.size > most) showToast({ text: `The file is larger than ${most / 1024 / 1024} MB.` })
          else onFile(file)
        }}
      />
      <Button {...button} onClick={() => input.current?.click()} />
    </>
  )
}
