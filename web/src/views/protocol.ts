// The messages between a view and its host (MCP Apps, protocol 2026-01-26), as far as these views use them.

export const protocolVersion = '2026-01-26'

export interface ToolResult {
  content?: readonly { type: string; text?: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

export interface HostContext {
  theme?: 'light' | 'dark'
  styles?: { variables?: Record<string, string>; css?: { fonts?: string } }
  locale?: string
  timeZone?: string
  toolInfo?: unknown
}

export interface HostCapabilities {
  openLinks?: object
  downloadFile?: object
  serverTools?: object
  updateModelContext?: object
}

/** What a view knows of its host and of the call that opened it. */
export interface HostState {
  isConnected: boolean
  context: HostContext
  capabilities: HostCapabilities
  /** Arguments of the call. */
  input?: Record<string, unknown>
  result?: ToolResult
  isCancelled: boolean
}

export type HostMessage =
  | { method: 'ui/notifications/tool-input' | 'ui/notifications/tool-input-partial'; params?: { arguments?: Record<string, unknown> } }
  | { method: 'ui/notifications/tool-result'; params?: ToolResult }
  | { method: 'ui/notifications/tool-cancelled'; params?: object }
  | { method: 'ui/notifications/host-context-changed'; params?: HostContext }
  | { method: 'connected'; params: { hostContext?: HostContext; hostCapabilities?: HostCapabilities } }

export const initial: HostState = { isConnected: false, context: {}, capabilities: {}, isCancelled: false }

/** What one message of the host changes; an unknown one changes nothing. */
export function reduce(state: HostState, { method, params }: HostMessage): HostState {
  switch (method) {
    case 'connected':
      return { ...state, isConnected: true, context: params.hostContext ?? {}, capabilities: params.hostCapabilities ?? {} }
    case 'ui/notifications/tool-input-partial':
    case 'ui/notifications/tool-input':
      return { ...state, input: params?.arguments ?? {} }
    case 'ui/notifications/tool-result':
      return { ...state, result: params ?? {}, isCancelled: false }
    case 'ui/notifications/tool-cancelled':
      return { ...state, isCancelled: true }
    case 'ui/notifications/host-context-changed':
      return { ...state, context: { ...state.context, ...params } }
    default:
      return state
  }
}
