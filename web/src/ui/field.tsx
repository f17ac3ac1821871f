// A labelled control with its hint and its error, linked by `aria-describedby`; native elements and native validation. What is typed
// runs the way of its own script.
import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes, TextareaHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

interface FieldCommon {
  label: string
  hint?: string | undefined
  error?: string | undefined
}

export type TextFieldProps = FieldCommon & InputHTMLAttributes<HTMLInputElement>
export type TextAreaProps = FieldCommon & TextareaHTMLAttributes<HTMLTextAreaElement>
export type SelectProps = FieldCommon & SelectHTMLAttributes<HTMLSelectElement> & { options: readonly { value: string; label: string }[] }

interface Wired {
  id: string
  'aria-invalid': 'true' | undefined
  'aria-describedby': string | undefined
}

function Field({ label, hint, error, control }: FieldCommon & { control: (wired: Wired) => ComponentChildren }) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, 'aria-invalid': error ? 'true' : undefined, 'aria-describedby': described || undefined })}
      {hint && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} class="field-error">
          {error}
        </p>
      )}
    </div>
  )
}

export function TextField({ label, hint, error, ...rest }: TextFieldProps) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      control={(wired) => <input class="input" type="text" dir="auto" {...rest} {...wired} />}
    />
  )
}

export function TextArea({ label, hint, error, ...rest }: TextAreaProps) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      control={(wired) => <textarea class="input" dir="auto" rows={3} {...rest} {...wired} />}
    />
  )
}

export function Select({ label, hint, error, options, value, ...rest }: SelectProps) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      control={(wired) => (
        <select class="input" {...rest} {...wired}>
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    />
  )
}

/** Which of the options a field holds: its value is a text to the browser. */
export const chosen = <Value extends string>(options: readonly { value: Value }[], value: string | undefined): Value | undefined =>
  options.find((option) => option.value === value)?.value

export interface CheckboxProps {
  label: ComponentChildren
  name: string
  value?: string
  required?: boolean
  checked?: boolean
  defaultChecked?: boolean
  onChange?: (checked: boolean) => void
  error?: string | undefined
  testId?: string
}

export function Checkbox({ label, error, testId, onChange, ...rest }: CheckboxProps) {
  const id = useId()
  return (
    <div class="check">
      <input
        type="checkbox"
        {...rest}
        id={id}
        data-testid={testId}
        onChange={(event) => onChange?.(event.currentTarget.checked)}
        aria-invalid={error ? 'true' : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
      />
      <label for={id}>{label}</label>
      {error && (
        <p id={`${id}-error`} class="field-error">
          {error}
        </p>
      )}
    </div>
  )
}
