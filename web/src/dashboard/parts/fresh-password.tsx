// Acts that change what a credential can do need a password of the last ten minutes: the form asks for it only when the server does.
import { useState } from 'preact/hooks'
import { TextField } from '../../ui/field.tsx'
import { FieldsRefused } from '../../ui/use-form.ts'
import { Problem } from '../data/api.ts'
import { refusedForm } from './form-errors.ts'

export interface FreshPassword {
  /** The form must show a field named `password`. */
  isNeeded: boolean
  /** Turns a refusal into what the form shows; never returns. */
  refuse: (error: unknown) => never
}

export function useFreshPassword(): FreshPassword {
  const [isNeeded, setNeeded] = useState(false)
  return {
    isNeeded,
    refuse(error) {
      if (error instanceof Problem && error.code === 'login_required') {
        setNeeded(true)
        throw new FieldsRefused('It has been a while since you signed in: enter your password to go on.')
      }
      if (error instanceof Problem && error.code === 'sign_in_failed') throw new FieldsRefused(error.message, { password: error.message })
      refusedForm(error)
    },
  }
}

/** The field, once the server has asked for it. */
export function FreshPasswordField({ isNeeded, error }: { isNeeded: boolean; error: string | undefined }) {
  if (!isNeeded) return null
  return (
    <TextField
      label="Your current password"
      name="password"
      type="password"
      required
      autocomplete="current-password"
      autofocus
      error={error}
    />
  )
}

/** As a member of a body: absent while it was not asked for. */
export const passwordOf = (written = ''): { password?: string } => (written === '' ? {} : { password: written })
