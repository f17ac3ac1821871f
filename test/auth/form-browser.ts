// A browser without scripts against a listening server: it keeps cookies, follows redirects inside the service, and fills forms.
// It stops where the browser would leave the service: that address is the answer to the client.
import assert from 'node:assert/strict'

export interface FormPage {
  status: number
  text: string
  /** Where this page was found, or the foreign address that the browser was sent to. */
  url: URL
  headers: Headers
}

export interface FormBrowser {
  open(address: string): Promise<FormPage>
  /** Sends the form of a page: what it holds, changed by `fields`. An array stands for the boxes that are ticked. */
  submit(page: FormPage, fields: Readonly<Record<string, string | readonly string[]>>): Promise<FormPage>
  /** An API call with the sign-in of this browser. */
  api(method: string, path: string, body?: unknown): Promise<FormPage>
  cookies: Map<string, string>
}

const redirectsMax = 8

export function formBrowser(baseUrl: string): FormBrowser {
  const cookies = new Map<string, string>()

  async function send(url: URL, init: RequestInit): Promise<FormPage> {
    let [at, next] = [url, init]
    for (let hop = 0; hop <= redirectsMax; hop++) {
      const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = new Headers(next.headers)
      headers.set('Cookie', jar)
      if (!headers.has('Accept')) headers.set('Accept', 'text/html')
      const response = await fetch(at, { ...next, redirect: 'manual', headers })
      for (const cookie of response.headers.getSetCookie()) keep(cookie)
      const location = response.headers.get('location')
      if (location === null) return { status: response.status, text: await response.text(), url: at, headers: response.headers }
      await response.body?.cancel()
      at = new URL(location, at)
      if (at.origin !== baseUrl) return { status: response.status, text: '', url: at, headers: response.headers }
      next = {}
    }
    throw new Error(`${url.href} redirects without end.`)
  }

  function keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (value === '' || /Max-Age=0|=thu, 01 jan 1970/i.test(cookie)) cookies.delete(name)
    else cookies.set(name, value)
  }

  const own = { Origin: baseUrl, 'Sec-Fetch-Site': 'same-origin' }
  return {
    cookies,
    open: (address) => send(new URL(address, baseUrl), {}),
    submit(page, fields) {
      assert.match(page.text, /<form method="post"/, page.text)
      const body = new URLSearchParams(held(page.text))
      for (const [name, value] of Object.entries(fields)) {
        body.delete(name)
        for (const each of [value].flat()) body.append(name, each)
      }
      return send(page.url, { method: 'POST', headers: own, body })
    },
    async api(method, path, body) {
      const me = method === 'GET' ? undefined : await send(new URL('/api/v1/account', baseUrl), {})
      const { csrf = '' } = me === undefined ? {} : (JSON.parse(me.text) as { csrf?: string })
      return send(new URL(path, baseUrl), {
        method,
        headers: { ...own, Accept: 'application/json', 'Content-Type': 'application/json', 'X-CSRF-Token': csrf },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    },
  }
}

/** What a form would send as it stands: hidden and filled inputs, ticked boxes, chosen options. */
function held(text: string): [string, string][] {
  const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  const inputs = [...text.matchAll(/<input\s[^>]*>/g)].flatMap(([tag]): [string, string][] => {
    const name = attribute(tag, 'name')
    const isLeftOut = attribute(tag, 'type') === 'checkbox' && !/\schecked/.test(tag)
    return name === undefined || isLeftOut ? [] : [[name, attribute(tag, 'value') ?? '']]
  })
  const choices = [...text.matchAll(/<select\s([^>]*)>(.*?)<\/select>/gs)].flatMap(([, tag = '', options = '']): [string, string][] => {
    const chosen = /<option value="([^"]*)"[^>]*\sselected/.exec(options) ?? /<option value="([^"]*)"/.exec(options)
    const name = attribute(` ${tag}`, 'name')
    return name === undefined || chosen?.[1] === undefined ? [] : [[name, chosen[1]]]
  })
  return [...inputs, ...choices]
}

/** Signs in by the form of the page. */
export async function signIn(browser: FormBrowser, person: { email: string; password: string }): Promise<FormPage> {
  return browser.submit(await browser.open('/dashboard/sign-in'), { email: person.email, password: person.password })
}
