// The frame of the human pages: one column, no script, no navigation, and the strictest headers. They need
// neither the web bundle nor the network.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type FieldError, ServiceError } from '@rostrum/base/errors'
import { readBytes } from '../../platform/http/exchange.ts'
import { invalidInput, parseJson } from '../../platform/parse.ts'

// HTML that cannot be injected into: values in the template are escaped unless they are Html themselves.

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

const sheet = readFileSync(new URL('./pages.css', import.meta.url), 'utf8')
export const sheetPath = `/auth/pages-${createHash('sha256').update(sheet).digest('hex').slice(0, 12)}.css`

export function sheetResponse(): Response {
  return new Response(sheet, {
    headers: {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}

export interface PageFrame {
  /** The name of this service. */
  title: string
  /** Style sheets with the product's tokens and primitives, in order. */
  styles: readonly string[]
}

export type Theme = 'light' | 'dark' | undefined

export interface Page {
  status?: number
  /** Of the document; the heading is in `body`. */
  name: string
  body: Html
  theme?: Theme
  /** Origins, beside ours, that a form of this page may lead to. */
  formTargets?: readonly string[]
  headers?: Readonly<Record<string, string>>
  cookies?: readonly string[]
}

export function pageResponse(frame: PageFrame, page: Page): Response {
  const theme = page.theme === undefined ? undefined : html`data-theme="${page.theme}"`
  const links = [...frame.styles, sheetPath].map((path) => html`<link rel="stylesheet" href="${path}" />`)
  const document = html`<!doctype html>
    <html lang="en" ${theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${page.name} · ${frame.title}</title>
        <link rel="icon" href="/favicon.svg" />
        ${links}
      </head>
      <body class="plain">
        <header class="plain-head"><a href="/">${frame.title}</a></header>
        <main class="plain-main">${page.body}</main>
      </body>
    </html> `
  return documentResponse(document.html, page)
}

export type DocumentMore = Pick<Page, 'status' | 'formTargets' | 'headers' | 'cookies'>

export function documentResponse(
  document: string,
  { status = 200, formTargets = [], headers: more, cookies = [] }: DocumentMore,
): Response {
  const headers = new Headers({ ...pageSecurity(formTargets), 'Content-Type': 'text/html; charset=utf-8', ...more })
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  return new Response(document, { status, headers })
}

/** 303: the browser goes on with a GET. `location` is a path of this service. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ ...pageSecurity([]), Location: location })
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  return new Response(null, { status: 303, headers })
}

export function pageSecurity(formTargets: readonly string[]): Record<string, string> {
  const targets = ["'self'", ...formTargets].join(' ')
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
  }
}

// Form fields with their labels, hints and errors tied together for screen readers.

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

/** What went wrong with the form as a whole. */
export function alertNote(words: string | undefined): Html | undefined {
  return words === undefined ? undefined : html`<p class="note note-red" role="alert">${words}</p>`
}

/**
 * First in a form that decides something: Enter in one of its fields presses the first button, and this one does nothing, since its
 * form is in no dialog. Whoever decides presses the button that says so. A disabled one would not do: Chromium passes it over.
 */
export const nothingByEnter = html`<button formmethod="dialog" hidden></button>`

// The body of a page's POST: a form, or JSON where the page takes it. Bounded, UTF-8, each field once.

const bytesMax = 16_384
const formType = 'application/x-www-form-urlencoded'

/** The text of a field, or undefined; a repeated field counts once, with its first value. */
export interface SentFields {
  isJson: boolean
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

/** The members of a JSON or form body, for operations that take both. An empty body has none. */
export async function parseBody(request: Request): Promise<Record<string, unknown>> {
  return membersOf(mediaType(request), await bytesOf(request))
}

export function membersOf(type: string | undefined, body: Uint8Array): Record<string, unknown> {
  if (body.length === 0) return {}
  return type === formType ? Object.fromEntries(new URLSearchParams(textOf(body))) : objectIn(body)
}

/** Throws `unsupported_media_type`, `payload_too_large` or `invalid_request`. */
export async function readFields(request: Request): Promise<SentFields> {
  const type = mediaType(request)
  if (type === formType) {
    const fields = new URLSearchParams(await readBody(request))
    return { isJson: false, get: (name) => fields.get(name) ?? undefined, all: (name) => fields.getAll(name) }
  }
  if (type !== 'application/json')
    throw new ServiceError('unsupported_media_type', 'Send `application/x-www-form-urlencoded` or `application/json`.')
  const members = new Map(Object.entries(objectIn(await bytesOf(request))))
  const all = (name: string) => [members.get(name)].filter((value) => typeof value === 'string')
  return { isJson: true, get: (name) => all(name)[0], all }
}

/** The body as text, at most 16 KiB. */
export async function readBody(request: Request): Promise<string> {
  return textOf(await bytesOf(request))
}

function mediaType(request: Request): string | undefined {
  return (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
}

const bytesOf = (request: Request) => readBytes(request, bytesMax)

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw invalidInput([{ pointer: '#', detail: 'is not valid UTF-8.' }])
  }
}

function objectIn(body: Uint8Array): Record<string, unknown> {
  const value = parseJson(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidInput([{ pointer: '#', detail: 'send an object.' }])
  return { ...value }
}
