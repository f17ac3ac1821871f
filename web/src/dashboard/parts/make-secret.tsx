// A dialog that makes a secret and then shows it, once: the secret lives in here alone, so closing is the end of it on this page.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../../ui/dialog.tsx'
import { type FormOptions, type FormState, useForm } from '../../ui/use-form.ts'
import { FormFoot } from './form-foot.tsx'

export interface MakeSecretProps extends Pick<FormOptions, 'words'> {
  /** What the button says, and the title where there is none. */
  act: string
  title?: string
  /** Answers the secret, or null where there is none to show; a rejection is shown as `useForm` shows it. */
  make: (values: Record<string, string>, form: HTMLFormElement) => Promise<string | null>
  /** Shows it, and closes what shows it. */
  shown: (secret: string) => ComponentChildren
  onClose: () => void
  children: (errors: FormState['errors']) => ComponentChildren
}

export function MakeSecret({ act, title = act, words, make, shown, onClose, children }: MakeSecretProps) {
  const [secret, setSecret] = useState<string>()
  const { errors, failure, busy, onSubmit } = useForm({
    ...(words && { words }),
    async submit(values, form) {
      const made = await make(values, form)
      if (made === null) onClose()
      else setSecret(made)
    },
  })
  if (secret !== undefined) return <>{shown(secret)}</>
  return (
    <Dialog open title={title} closeLabel="Cancel" onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit}>
        {children(errors)}
        <FormFoot failure={failure} busy={busy} act={act} />
      </form>
    </Dialog>
  )
}
