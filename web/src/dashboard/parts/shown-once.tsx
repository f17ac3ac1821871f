// A secret that exists in this dialog alone, in no address and no storage: closing it is the end of it here, so closing asks once if
// nothing was copied.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
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
        <div class="secret">
          <p>{warning}</p>
          <code class="well" data-testid="secret">
            {secret}
          </code>
          <div class="actions">
            <Copy value={secret} label="Copy" onCopied={() => setCopied(true)} />
          </div>
        </div>
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
