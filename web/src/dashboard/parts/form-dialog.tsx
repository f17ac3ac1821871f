// A form in a dialog. One that makes a secret then shows it, once: the secret lives in here alone, so closing is the end of it on this page.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../../ui/dialog.tsx'
import { type FormOptions, type FormState, useForm } from '../../ui/use-form.ts'
import { FormFoot, type FormFootProps } from './form-foot.tsx'
import { refusedForm } from './form-errors.ts'

export interface FormDialogProps extends Pick<FormOptions, 'words'>, Pick<FormFootProps, 'act' | 'kind'> {
  /** Where it is not what the button says. */
  title?: string
  /** Does it. What it answers is a secret, where `shown` is given; a refusal is shown beside its fields. */
  submit: (values: Record<string, string>, form: HTMLFormElement) => Promise<string | null | void>
  /** Shows the secret, and closes what shows it. */
  shown?: (secret: string) => ComponentChildren
  onClose: () => void
  children: (errors: FormState['errors']) => ComponentChildren
}

export function FormDialog({ act, kind, title = act, words, submit, shown, onClose, children }: FormDialogProps) {
  const [secret, setSecret] = useState<string>()
  const { errors, failure, busy, onSubmit } = useForm({
    ...(words && { words }),
    async submit(values, form) {
      const made = await submit(values, form).catch(refusedForm)
      if (made && shown) setSecret(made)
      else onClose()
    },
  })
  if (secret !== undefined) return <>{shown?.(secret)}</>
  return (
    <Dialog open title={title} closeLabel="Cancel" onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit}>
        {children(errors)}
        <FormFoot failure={failure} busy={busy} act={act} kind={kind} />
      </form>
    </Dialog>
  )
}
