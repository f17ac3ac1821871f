// Choosing or dropping a deck: one document, or images in the order of their slides.
import { useId, useState } from 'preact/hooks'

export const deckTypes = '.pdf,.pptx,.md,image/png,image/jpeg,image/webp'
const bytesMax = 50 * 1024 * 1024

/** The multipart body of `PUT .../deck`; the order of the parts is the order of the slides. */
export function deckForm(files: readonly File[]): FormData {
  const form = new FormData()
  for (const file of files) form.append('file', file, file.name)
  return form
}

/** Why these files cannot be a deck, if they cannot. The server decides by content; this only saves an upload. */
export function refusal(files: readonly File[]): string | undefined {
  if (files.some(({ size }) => size > bytesMax) || files.reduce((sum, { size }) => sum + size, 0) > bytesMax) return 'The limit is 50 MB.'
  const documents = files.filter(({ name }) => /\.(?:pdf|pptx|md)$/i.test(name))
  if (documents.length > 1) return 'Choose one PDF, PPTX or Markdown file, or several images.'
  if (documents.length === 1 && files.length > 1) return 'Choose either one document or images, not both.'
  if (documents.length === 0 && files.some(({ name }) => !/\.(?:png|jpe?g|webp)$/i.test(name)))
    return 'Choose a PDF, a PPTX, a Markdown file, or PNG, JPEG or WebP images.'
  return undefined
}

export interface FileFieldProps {
  label: string
  files: readonly File[]
  onChange: (files: readonly File[]) => void
}

export function FileField({ label, files, onChange }: FileFieldProps) {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const [error, setError] = useState<string>()
  const take = (list: FileList | null) => {
    const chosen = Array.from(list ?? [])
    const why = refusal(chosen)
    setError(why)
    onChange(why === undefined ? chosen : [])
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div
        class={isOver ? 'drop drop-over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          take(event.dataTransfer?.files ?? null)
        }}
      >
        <input
          id={id}
          type="file"
          multiple
          accept={deckTypes}
          aria-describedby={`${id}-hint${error === undefined ? '' : ` ${id}-error`}`}
          aria-invalid={error === undefined ? undefined : 'true'}
          onChange={(event) => take(event.currentTarget.files)}
        />
        <p id={`${id}-hint`} class="field-hint">
          {files.length > 1
            ? `${files.length} images, in this order.`
            : 'PDF, PPTX or images, up to 50 MB. Speaker notes of a PPTX become private notes.'}
        </p>
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
