// Pages of a few words: a link that no longer works, and an address that never did. One text for every reason, so that the page
// tells nobody which it was.
import type { Html } from './html.ts'
import { html } from './html.ts'
import type { PageFrame } from './page.ts'
import { pageResponse } from './page.ts'

type Theme = 'light' | 'dark' | undefined

export function wordsResponse(frame: PageFrame, status: number, heading: string, words: string, theme: Theme, way?: Html): Response {
  const body = html`<h1>${heading}</h1>
    <p>${words}</p>
    ${way ?? html`<p><a href="/dashboard">Go to the dashboard</a></p>`}`
  return pageResponse(frame, { status, name: heading, body, theme })
}

export function goneResponse(frame: PageFrame, words: string, theme: Theme, way?: Html): Response {
  return wordsResponse(frame, 410, 'This link no longer works', words, theme, way)
}

export function notFoundResponse(frame: PageFrame, words: string, theme: Theme): Response {
  return wordsResponse(frame, 404, 'Nothing here', words, theme)
}
