// The question before an act that cannot be undone: the host types the name of what will go.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { wordsOf } from '../data/api.ts'

export interface ConfirmNameProps {
  /** The words of the button that opened it; its own button repeats them. */
  act: string
  title: string
  /** What must be typed. */
  name: string
  nameLabel: string
  onConfirm: () => Promise<void>
  onClose: () => void
  /** What will be lost. */
  children: ComponentChildren
}

export function ConfirmName({ act, title, name, nameLabel, onConfirm, onClose, children }: ConfirmNameProps) {
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (busy || !(event.currentTarget instanceof HTMLFormElement)) return
    const typed = new FormData(event.currentTarget).get('name')
    if (typeof typed !== 'string' || typed.trim() !== name.trim()) {
      setError(`Type "${name}" to go on.`)
      event.currentTarget.querySelector('input')?.focus()
      return
    }
    setBusy(true)
    try {
      await onConfirm()
      onClose()
    } catch (refused) {
      setBusy(false)
      setError(wordsOf(refused))
    }
  }
  return (
    <Dialog open title={title} closeLabel="Cancel" onClose={onClose}>
      <form class="form" noValidate onSubmit={(event) => void submit(event)}>
        <div>{children}</div>
        <TextField label={nameLabel} name="name" hint={name} error={error} autocomplete="off" required />
        <div class="actions actions-end">
          <Button kind="danger" type="submit" busy={busy}>
            {act}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
