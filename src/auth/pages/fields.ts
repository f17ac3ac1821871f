// Form fields with their labels, hints and errors tied together for screen readers.
import type { FieldError } from '../../kernel/errors.ts'
import type { Html } from './html.ts'
import { html } from './html.ts'

export interface Field {
  name: string
  label: string
  type?: 'text' | 'email' | 'password'
  value?: string
  autocomplete: string
  hint?: string
  isReadOnly?: boolean
}

/** One labelled input; the first with an error takes the focus, else the first of the form does. */
export function fieldsOf(fields: readonly Field[], errors: readonly FieldError[] = []): Html {
  const wrong = new Map(errors.map(({ pointer, detail }) => [pointer.slice(2), detail]))
  const focused =
    fields.find(({ name }) => wrong.has(name))?.name ?? fields.find(({ isReadOnly, value }) => isReadOnly !== true && !value)?.name
  return html`<div class="plain-fields">${fields.map((field) => fieldOf(field, wrong.get(field.name), field.name === focused))}</div>`
}

function fieldOf(
  { name, label, type = 'text', value, autocomplete, hint, isReadOnly }: Field,
  error: string | undefined,
  hasFocus: boolean,
): Html {
  const described = [hint === undefined ? '' : `${name}-hint`, error === undefined ? '' : `${name}-error`].filter(Boolean).join(' ')
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      class="input"
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value ?? ''}"
      autocomplete="${autocomplete}"
      required${
        described !== '' && html` aria-describedby="${described}"`
      }${error !== undefined && html` aria-invalid="true"`}${isReadOnly === true && html` readonly`}${hasFocus && html` autofocus`}
    />
    ${hint !== undefined && html`<p class="field-hint" id="${name}-hint">${hint}</p>`}
    ${error !== undefined && html`<p class="field-error" id="${name}-error">${error}</p>`}
  </div>`
}

/** The hidden proof that a form came from our page. */
export function csrfField(token: string): Html {
  return html`<input type="hidden" name="csrf" value="${token}" />`
}

/** What went wrong with the form as a whole. */
export function alertNote(words: string | undefined): Html | undefined {
  return words === undefined ? undefined : html`<p class="note note-red" role="alert">${words}</p>`
}

/**
 * First in a form that decides something: Enter in one of its fields presses the first button, and this one does nothing, since its
 * form is in no dialog. Whoever decides presses the button that says so. A disabled one would not do: Chromium passes it over.
 */
export const nothingByEnter = html`<button formmethod="dialog" hidden></button>`
