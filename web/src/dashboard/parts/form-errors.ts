// Carries a refusal of the server to the form it belongs to: field errors beside their fields, the rest above the buttons.
import { FieldsRefused } from '../../ui/use-form.ts'
import { Problem, wordsOf } from '../data/api.ts'

/** Rethrows `error` for useForm; `names` maps a member of the body to the field that holds it. */
export function refusedForm(error: unknown, names: Readonly<Record<string, string>> = {}): never {
  if (error instanceof FieldsRefused) throw error
  const fields: Record<string, string> = {}
  if (error instanceof Problem) {
    for (const { pointer, detail } of error.body.errors ?? []) {
      const member = pointer.split('/')[1] ?? ''
      const name = names[member] ?? member
      if (name !== '' && !(name in fields)) fields[name] = detail.charAt(0).toUpperCase() + detail.slice(1)
    }
  }
  throw new FieldsRefused(wordsOf(error), fields)
}
