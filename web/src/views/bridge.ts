// The bridge to the host that shows a view: JSON-RPC over the frame's messages, written by hand because the official kit weighs forty
// times as much.
import type { ViewFrame } from './frame.ts'
import type { HostMessage, HostState, ToolResult } from './protocol.ts'
import { initial, protocolVersion, reduce } from './protocol.ts'

export interface Bridge {
  state(): HostState
  /** Called after every change of the state; gives the function that ends it. */
  subscribe(listener: () => void): () => void
  callTool(name: string, args: Record<string, unknown>): Promise<ToolResult>
  openLink(url: string): void
  /** Tells the model what a person did here, in one sentence. */
  tellModel(text: string, data: Record<string, unknown>): void
  /** False where the host has no downloads, or refused. */
  download(name: string, mimeType: string, text: string): Promise<boolean>
}

interface Message {
  jsonrpc?: unknown
  id?: string | number
  method?: string
  params?: unknown
  result?: unknown
  error?: { message?: string }
}

interface Waiting {
  resolve: (result: unknown) => void
  reject: (error: Error) => void
  /** Ends the wait. */
  forget: () => void
}

/** A host that has not answered a call by then will not. */
const answerMs = 60_000

/** Says hello at once; the state follows the host from then on. */
export function connect(frame: ViewFrame): Bridge {
  let state = initial
  let lastId = 0
  const listeners = new Set<() => void>()
  const waiting = new Map<string | number, Waiting>()

  const post = (message: object) => frame.post({ jsonrpc: '2.0', ...message })
  const notify = (method: string, params: object = {}) => post({ method, params })
  const request = (method: string, params: object) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++lastId
      const forget = frame.after(answerMs, () => {
        waiting.delete(id)
        reject(new Error('The host did not answer.'))
      })
      waiting.set(id, { resolve, reject, forget })
      post({ id, method, params })
    })
  const apply = (message: HostMessage) => {
    const next = reduce(state, message)
    if (next === state) return
    state = next
    for (const listener of listeners) listener()
  }

  frame.listen((data) => {
    if (!isMessage(data)) return
    if (data.method === undefined) {
      const asked = data.id === undefined ? undefined : waiting.get(data.id)
      if (asked === undefined || data.id === undefined) return
      waiting.delete(data.id)
      asked.forget()
      if (data.error === undefined) asked.resolve(data.result)
      else asked.reject(new Error(data.error?.message ?? 'The host refused.'))
    } else if (data.id === undefined) {
      if (data.method.startsWith('ui/notifications/')) apply({ method: data.method, params: data.params } as HostMessage)
    } else {
      const isKnown = data.method === 'ping' || data.method === 'ui/resource-teardown'
      post(isKnown ? { id: data.id, result: {} } : { id: data.id, error: { code: -32601, message: 'Method not found' } })
    }
  })

  const begin = (params: object) => {
    apply({ method: 'connected', params })
    // Some hosts keep the frame hidden until they hear this.
    notify('ui/notifications/initialized')
    frame.measure((size) => notify('ui/notifications/size-changed', size))
  }
  void request('ui/initialize', {
    appInfo: { name: 'rostrum', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion,
    // A host that knows no greeting may still show results.
  }).then(
    (result) => begin(typeof result === 'object' && result !== null ? result : {}),
    () => begin({}),
  )

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    callTool: async (name, args) => (await request('tools/call', { name, arguments: args })) as ToolResult,
    openLink: (url) => void request('ui/open-link', { url }).catch(() => undefined),
    tellModel(text, structuredContent) {
      if (state.capabilities.updateModelContext === undefined) return
      void request('ui/update-model-context', { content: [{ type: 'text', text }], structuredContent }).catch(() => undefined)
    },
    async download(name, mimeType, text) {
      if (state.capabilities.downloadFile === undefined) return false
      const contents = [{ type: 'resource', resource: { uri: `file:///${name}`, mimeType, text } }]
      return request('ui/download-file', { contents }).then(
        (result) => (result as { isError?: boolean } | undefined)?.isError !== true,
        () => false,
      )
    },
  }
}

function isMessage(data: unknown): data is Message {
  if (typeof data !== 'object' || data === null || !('jsonrpc' in data) || data.jsonrpc !== '2.0') return false
  return !('method' in data) || typeof data.method === 'string'
}
