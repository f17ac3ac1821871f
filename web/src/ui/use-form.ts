// Submitting a form with the browser's own constraint validation: errors are shown beside their fields and focus goes to the first.
import { useState } from 'preact/hooks'

export interface FormOptions {
  /** Sends the values; a rejection with field errors shows them, any other shows its message above the buttons. */
  submit: (values: Record<string, string>, form: HTMLFormElement) => Promise<void>
  /** Words for a field that failed validation; the browser's own words otherwise. */
  words?: (field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement) => string | undefined
}

/** What `submit` throws to place words beside fields; keys are field names. */
export class FieldsRefused extends Error {
  readonly fields: Readonly<Record<string, string>>
  constructor(message: string, fields: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'FieldsRefused'
    this.fields = fields
  }
}

export interface FormState {
  errors: Readonly<Record<string, string>>
  /** A failure that belongs to no field. */
  failure: string | undefined
  busy: boolean
  onSubmit: (event: SubmitEvent) => void
}

export function useForm({ submit, words }: FormOptions): FormState {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [failure, setFailure] = useState<string>()
  const [busy, setBusy] = useState(false)
  const refuse = (form: HTMLFormElement, found: Readonly<Record<string, string>>) => {
    setErrors(found)
    const first = Array.from(form.elements).find((element) => (element.getAttribute('name') ?? '') in found)
    if (first instanceof HTMLElement) first.focus()
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget
    if (!(form instanceof HTMLFormElement) || busy) return
    const found = invalidFields(form, words)
    setFailure(undefined)
    if (Object.keys(found).length > 0) return refuse(form, found)
    setErrors({})
    setBusy(true)
    submit(valuesOf(form), form)
      .catch((error: unknown) => {
        if (error instanceof FieldsRefused && Object.keys(error.fields).length > 0) refuse(form, error.fields)
        else setFailure(error instanceof Error ? error.message : String(error))
      })
      .finally(() => setBusy(false))
  }
  return { errors, failure, busy, onSubmit }
}

function invalidFields(form: HTMLFormElement, words: FormOptions['words']): Record<string, string> {
  const found: Record<string, string> = {}
  for (const element of form.elements) {
    if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement)) continue
    if (element.name === '' || element.validity.valid) continue
    found[element.name] = words?.(element) ?? element.validationMessage
  }
  return found
}

function valuesOf(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') values[name] = value.trim()
  return values
}
