// The end of every form: what failed as a whole, and the button that sends it.
import { Button } from '../ui/button.tsx'
import type { FormState } from '../ui/use-form.ts'

export interface FormFootProps extends Pick<FormState, 'failure' | 'busy'> {
  /** What the button says. */
  act: string
  /** In a page instead of a dialog: a plain button, at the start. */
  isInPage?: boolean
}

export function FormFoot({ failure, busy, act, isInPage = false }: FormFootProps) {
  return (
    <>
      {failure !== undefined && (
        <p class="note note-red" role="alert">
          {failure}
        </p>
      )}
      <div class={isInPage ? 'actions' : 'actions actions-end'}>
        <Button kind={isInPage ? 'plain' : 'primary'} type="submit" busy={busy}>
          {act}
        </Button>
      </div>
    </>
  )
}

/** Whether the box of this name is ticked. */
export function isTicked(form: HTMLFormElement, name: string): boolean {
  const box = form.elements.namedItem(name)
  return box instanceof HTMLInputElement && box.checked
}
