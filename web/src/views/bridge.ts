// The bridge to the host that shows a view: JSON-RPC over `postMessage`, written by hand because the official kit weighs forty
// times as much. Only messages of the parent window count.
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
}

/** Says hello at once; the state follows the host from then on. */
export function connect(): Bridge {
  let state = initial
  let lastId = 0
  const listeners = new Set<() => void>()
  const waiting = new Map<string | number, Waiting>()

  // The origin of the host cannot be known: these views run in an opaque one, and hosts are many. Nothing sent is secret.
  const post = (message: object) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const notify = (method: string, params: object = {}) => post({ method, params })
  const request = (method: string, params: object) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      post({ id, method, params })
    })
  const apply = (message: HostMessage) => {
    const next = reduce(state, message)
    if (next === state) return
    state = next
    for (const listener of listeners) listener()
  }

  window.addEventListener('message', ({ source, data }: MessageEvent<Message | null>) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return
    if (data.method === undefined) {
      const asked = data.id === undefined ? undefined : waiting.get(data.id)
      if (asked === undefined) return
      waiting.delete(data.id ?? '')
      if (data.error === undefined) asked.resolve(data.result)
      else asked.reject(new Error(data.error.message ?? 'The host refused.'))
    } else if (data.id === undefined) {
      apply({ method: data.method, params: data.params } as HostMessage)
    } else {
      const isKnown = data.method === 'ping' || data.method === 'ui/resource-teardown'
      post(isKnown ? { id: data.id, result: {} } : { id: data.id, error: { code: -32601, message: 'Method not found' } })
    }
  })

  const size = new ResizeObserver(() => {
    const { scrollWidth: width } = document.documentElement
    notify('ui/notifications/size-changed', { width, height: Math.ceil(document.body.getBoundingClientRect().height) })
  })

  void request('ui/initialize', {
    appInfo: { name: 'rostrum', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion,
  }).then((params) => {
    apply({ method: 'connected', params: params ?? {} })
    // Some hosts keep the frame hidden until they hear this.
    notify('ui/notifications/initialized')
    size.observe(document.body)
  })

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
