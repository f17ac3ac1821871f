// The frame of the human pages: one column, no script, no navigation, and the strictest headers. They need
// neither the web bundle nor the network.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Principal } from '../../kernel/principal.ts'
import type { Presented } from '../authenticate.ts'
import type { AuthDeps } from '../deps.ts'
import type { Html } from './html.ts'
import { html } from './html.ts'

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

/** What the handlers of the pages need. */
export interface PagesDeps extends AuthDeps {
  frame: PageFrame
  /** Agents take the address of the claim page for an endpoint, and come with their token. */
  authenticate: (presented: Presented) => Promise<Principal>
}

export interface Page {
  status?: number
  /** Of the document; the heading is in `body`. */
  name: string
  body: Html
  theme?: 'light' | 'dark' | undefined
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
  const headers = new Headers({ ...pageSecurity(page.formTargets ?? []), 'Content-Type': 'text/html; charset=utf-8', ...page.headers })
  for (const cookie of page.cookies ?? []) headers.append('Set-Cookie', cookie)
  return new Response(document.html, { status: page.status ?? 200, headers })
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
