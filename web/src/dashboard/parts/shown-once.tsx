// A secret that exists in this dialog alone: closing it is the end of it here, so closing asks once if nothing was copied.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Secret } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'

export interface ShownOnceProps {
  title: string
  secret: string
  /** Why it is shown once, and what for. */
  warning: string
  onClose: () => void
  /** How it is used. */
  children?: ComponentChildren
}

export function ShownOnce({ title, secret, warning, onClose, children }: ShownOnceProps) {
  const [isCopied, setCopied] = useState(false)
  const [isWarned, setWarned] = useState(false)
  const close = () => (isCopied || isWarned ? onClose() : setWarned(true))
  return (
    <Dialog open wide title={title} closeLabel="Close" dismissible={false} onClose={close}>
      <div class="form">
        <Secret
          value={secret}
          label="Copy"
          copiedLabel="Copied"
          failedLabel="Copy it by hand"
          warning={warning}
          onCopied={() => setCopied(true)}
        />
        {children}
        {isWarned && !isCopied && (
          <p class="note note-amber" role="alert">
            Nothing was copied yet. Close again to leave without it.
          </p>
        )}
        <div class="actions actions-end">
          <Button kind="primary" onClick={onClose}>
            I have saved it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
