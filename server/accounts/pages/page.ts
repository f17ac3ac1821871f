// What the pages for people answer with, which the web draws: the strictest headers, since they have no script; and what their forms send.
import { ServiceError } from '@rostrum/base/errors'
import { readBytes } from '../../platform/http/exchange.ts'
import { invalidInput, parseJson } from '../../platform/parse.ts'

export interface DocumentMore {
  status?: number
  /** Origins, beside ours, that a form of this page may lead to. */
  formTargets?: readonly string[]
  headers?: Readonly<Record<string, string>>
  cookies?: readonly string[]
}

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
