// The end of every form: what failed as a whole, and the button that sends it.
import type { ComponentChildren } from 'preact'
import { Button, type ButtonKind } from '../../ui/button.tsx'
import type { FormState } from '../../ui/use-form.ts'

export interface FormFootProps extends Pick<FormState, 'failure' | 'busy'> {
  /** What the button says. */
  act: string
  kind?: ButtonKind | undefined
  /** In a page instead of a dialog: a plain button, at the start. */
  isInPage?: boolean
  /** Of a form that stays as it was until it is saved: whether it differs. */
  isChanged?: boolean
  children?: ComponentChildren
}

export function FormFoot({
  failure,
  busy,
  act,
  isInPage = false,
  kind = isInPage ? 'plain' : 'primary',
  isChanged,
  children,
}: FormFootProps) {
  return (
    <>
      {failure !== undefined && (
        <p class="note note-red" role="alert">
          {failure}
        </p>
      )}
      <div class={isInPage ? 'actions' : 'actions actions-end'}>
        <Button kind={kind} type="submit" busy={busy} idle={isChanged === false}>
          {act}
        </Button>
        {isChanged === true && <span class="small muted">Not saved yet</span>}
        {children}
      </div>
    </>
  )
}

/** Whether the box of this name is ticked. */
export function isTicked(form: HTMLFormElement, name: string): boolean {
  const box = form.elements.namedItem(name)
  return box instanceof HTMLInputElement && box.checked
}
