// A modal dialog on the native element: focus is kept inside and returned by the browser, Escape and a press outside close it.
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

export interface DialogProps {
  open: boolean
  title: string
  /** Word on the closing button; every dialog has one. */
  closeLabel: string
  onClose: () => void
  wide?: boolean
  /** At the end of the window, over its whole height: a row of a list beside the list. */
  side?: boolean
  /** False: only the buttons close it (a secret that was not yet copied). */
  dismissible?: boolean
  /** Puts all else out of reach in its own time, instead of the browser at once; gives what takes that back. */
  putBehind?: (dialog: HTMLElement) => () => void
  children: ComponentChildren
}

export function Dialog({ open, title, closeLabel, onClose, wide, side, dismissible = true, putBehind, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const isLeaving = useRef(false)
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog === null || !open) return
    isLeaving.current = false
    if (putBehind === undefined) dialog.showModal()
    else dialog.show()
    const takeBack = putBehind?.(dialog)
    // Also when it is taken out of the page while open, and before it is out: only `close` gives the focus back.
    return () => {
      isLeaving.current = true
      takeBack?.()
      dialog.close()
    }
  }, [open])
  return (
    <dialog
      ref={ref}
      class={`dialog${wide ? ' dialog-wide' : ''}${side ? ' dialog-side' : ''}`}
      aria-labelledby={id}
      aria-modal={putBehind === undefined ? undefined : 'true'}
      {...{ closedby: dismissible ? 'any' : 'none' }}
      onKeyDown={(event) => {
        if (putBehind !== undefined && event.key === 'Escape' && !event.defaultPrevented) onClose()
      }}
      onCancel={(event) => {
        if (!dismissible) event.preventDefault()
      }}
      onClose={() => open && !isLeaving.current && onClose()}
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
