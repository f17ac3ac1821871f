// A view and its tool: the result that the host delivered, and later ones that the view has asked for itself.
import { useEffect, useState } from 'preact/hooks'
import type { Bridge } from './bridge.ts'
import type { HostState, ToolResult } from './protocol.ts'

export function useHost(bridge: Bridge): HostState {
  const [state, set] = useState(bridge.state())
  useEffect(() => {
    const read = () => set(bridge.state())
    // The host may have answered before the first paint.
    read()
    return bridge.subscribe(read)
  }, [bridge])
  return state
}

export interface Tool<T> {
  status: 'loading' | 'ready' | 'error'
  data?: T
  /** The tool's own words. */
  problem?: string
  isBusy: boolean
  /** The host lets views call tools. */
  canCall: boolean
  /** Calls the tool; `join` puts an earlier page and this one together. */
  call(args: Record<string, unknown>, join?: (before: T, now: T) => T): Promise<void>
  host: HostState
}

/** The delivered result until `call` gives a newer one. The casts trust our own server, whose results are held to their schemas. */
export function useTool<T>(bridge: Bridge, name: string): Tool<T> {
  const host = useHost(bridge)
  const [own, setOwn] = useState<ToolResult>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => setOwn(undefined), [host.result])
  const shown = own ?? host.result
  const data = shown?.isError === true ? undefined : (shown?.structuredContent as T | undefined)
  const call: Tool<T>['call'] = async (args, join) => {
    setBusy(true)
    const result = await bridge.callTool(name, args).catch(failed)
    const now = result.structuredContent as T | undefined
    const isJoined = join !== undefined && data !== undefined && now !== undefined && result.isError !== true
    setOwn(isJoined ? { ...result, structuredContent: join(data, now) as Record<string, unknown> } : result)
    setBusy(false)
  }
  const status = shown === undefined ? 'loading' : data === undefined ? 'error' : 'ready'
  const canCall = host.capabilities.serverTools !== undefined
  return {
    status,
    isBusy,
    canCall,
    call,
    host,
    ...(data !== undefined && { data }),
    ...(status === 'error' && { problem: wordsOf(shown) }),
  }
}

export function failed(error: unknown): ToolResult {
  return { isError: true, content: [{ type: 'text', text: error instanceof Error ? error.message : 'The host did not answer.' }] }
}

export function wordsOf(result: ToolResult | undefined): string {
  const text = result?.content?.find((block) => block.type === 'text')?.text
  return text ?? 'There is nothing to show.'
}
