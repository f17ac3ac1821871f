// The question before an act that cannot be undone: the host types the name of what will go.
import type { ComponentChildren } from 'preact'
import { TextField } from '../../ui/field.tsx'
import { FieldsRefused } from '../../ui/use-form.ts'
import { FormDialog } from './form-dialog.tsx'

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
  const other = `Type "${name}" to go on.`
  const submit = async ({ name: typed = '' }: Record<string, string>) => {
    if (typed !== name.trim()) throw new FieldsRefused(other, { name: other })
    await onConfirm()
  }
  return (
    <FormDialog act={act} kind="danger" title={title} words={() => other} submit={submit} onClose={onClose}>
      {(errors) => (
        <>
          <div>{children}</div>
          <TextField label={nameLabel} name="name" hint={name} error={errors['name']} autocomplete="off" required />
        </>
      )}
    </FormDialog>
  )
}
