// A modal dialog on the native element: focus is kept inside and returned by the browser, Escape and a press outside close it.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

export interface DialogProps {
  open: boolean
  title: string
  /** Word on the closing button; every dialog has one. */
  closeLabel: string
  onClose: () => void
  wide?: boolean
  /** False: only the buttons close it (a secret that was not yet copied). */
  dismissible?: boolean
  children: ComponentChildren
}

export function Dialog({ open, title, closeLabel, onClose, wide, dismissible = true, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (dialog === null) return
    if (open && !dialog.open) dialog.showModal()
    if (!open && dialog.open) dialog.close()
  }, [open])
  return (
    <dialog
      ref={ref}
      class={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      {...{ closedby: dismissible ? 'any' : 'none' }}
      onCancel={(event) => {
        if (!dismissible) event.preventDefault()
      }}
      onClose={() => open && onClose()}
    >
      {open && (
        <>
          <div class="dialog-head">
            <h2 id={id}>{title}</h2>
            <Button kind="quiet" dense onClick={onClose}>
              {closeLabel}
            </Button>
          </div>
          {children}
        </>
      )}
    </dialog>
  )
}
