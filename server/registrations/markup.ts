// Markup of mails that cannot be injected into: values in the template are escaped unless they are markup themselves.

/** Markup that is already safe. */
export interface Html {
  readonly html: string
}

type Value = string | number | Html | readonly Html[] | undefined | false

export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: parts.reduce((text, part, at) => text + rendered(values[at - 1]) + part) }
}

function rendered(value: Value): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value))
  return 'html' in value ? value.html : value.map((item) => item.html).join('')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
