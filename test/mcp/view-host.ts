// A host of MCP-App views for tests: a page that frames a view in an opaque origin under the strictest policy, speaks the bridge,
// and carries its calls to a real server. What it offers, and how it looks, is the test's choice.
import type { Browser, Frame, Page } from 'playwright-core'
import { envelope, modernHeaders } from './rpc.ts'

export interface ViewHostOptions {
  browser: Browser
  /** Of the service, without a trailing slash. */
  baseUrl: string
  key: string
  /** Path under `ui://{host}/`. */
  view: string
  theme: 'light' | 'dark'
  capabilities: Readonly<Record<string, object>>
  width?: number
  /** Variables of the host's own look. */
  variables?: Readonly<Record<string, string>>
  /** What this host answers to some methods, in place of doing as it is asked. */
  replies?: Readonly<Record<string, { result: object } | { error: { code: number; message: string } }>>
}

export interface ViewHost {
  page: Page
  frame: Frame
  /** Sends a notification to the view. */
  notify(method: string, params: object): Promise<void>
  /** Asks the view something; gives its whole answer. */
  ask(method: string): Promise<{ result?: object; error?: { code: number } }>
  /** What the view has asked for or told, in order. */
  sent(method: string): Promise<Record<string, unknown>[]>
  /** Errors of the console and of the page. */
  errors: string[]
  close(): Promise<void>
}

const policy = (origin: string) =>
  `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src ${origin} data:; connect-src 'none'`

// Tests read members of results whose shape they assert.
// oxlint-disable-next-line typescript/no-explicit-any
export async function callServer(baseUrl: string, key: string, method: string, params: Record<string, unknown>): Promise<any> {
  const response = await fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${key}`,
      ...modernHeaders(method, params),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error !== undefined) throw new Error(error.message)
  return result
}

export async function openView(options: ViewHostOptions): Promise<ViewHost> {
  const { browser, baseUrl, key, view, theme, capabilities, width = 720, variables, replies = {} } = options
  const uri = `ui://${new URL(baseUrl).host}/${view}`
  const { contents } = await callServer(baseUrl, key, 'resources/read', { uri })
  const html = String(contents[0].text).replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy(baseUrl)}">`)
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: theme === 'dark' ? 'light' : 'dark' })
  const errors: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
  page.on('pageerror', (error) => void errors.push(error.message))
  await page.exposeFunction('callTool', (params: Record<string, unknown>) => callServer(baseUrl, key, 'tools/call', params))
  const context = { theme, locale: 'en-GB', timeZone: 'UTC', ...(variables && { styles: { variables } }) }
  await page.setContent('<!doctype html><body style="margin:0"></body>')
  await page.evaluate(`(${hostScript})(${JSON.stringify({ html, context, capabilities, replies })})`)
  await page.waitForFunction('window.host.isReady')
  const frame = page.frames()[1]
  if (frame === undefined) throw new Error('The view has no frame.')
  return {
    page,
    frame,
    errors,
    notify: (method, params) => page.evaluate(`host.notify(${JSON.stringify(method)}, ${JSON.stringify(params)})`),
    ask: (method) => page.evaluate(`host.ask(${JSON.stringify(method)})`),
    sent: (method) => page.evaluate(`host.sent.filter((each) => each.method === ${JSON.stringify(method)}).map((each) => each.params)`),
    close: () => page.close(),
  }
}

/** Runs in the page: frames the view, keeps what it says, and carries its calls. */
const hostScript = `({ html, context, capabilities, replies }) => {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.style.cssText = 'border:0;width:100%;height:860px;display:block'
  frame.srcdoc = html
  const post = (message) => frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const waiting = new Map()
  const host = {
    isReady: false,
    sent: [],
    notify: (method, params) => post({ method, params }),
    ask: (method) => new Promise((resolve) => { waiting.set('h-' + method, resolve); post({ id: 'h-' + method, method }) }),
  }
  window.host = host
  window.addEventListener('message', async ({ source, data }) => {
    if (source !== frame.contentWindow) return
    const { id, method, params } = data
    if (method === undefined) return waiting.get(id)?.(data)
    host.sent.push({ method, params })
    if (method === 'ui/notifications/initialized') host.isReady = true
    if (method === 'ui/notifications/size-changed') frame.style.height = params.height + 'px'
    if (id === undefined) return
    if (replies[method] !== undefined) return post({ id, ...replies[method] })
    if (method === 'ui/initialize') {
      const hostInfo = { name: 'test', version: '1' }
      return post({ id, result: { protocolVersion: params.protocolVersion, hostInfo, hostCapabilities: capabilities, hostContext: context } })
    }
    if (method !== 'tools/call') return post({ id, result: {} })
    await window.callTool(params).then(
      (result) => post({ id, result }),
      (error) => post({ id, error: { code: -32603, message: String(error) } }),
    )
  })
  document.body.append(frame)
}`
