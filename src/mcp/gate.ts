// Who may send which message: the scope of the operation behind it, before the protocol library sees the request.
import { type Access, admit, anyCredential, type Call, type Limiter, open, type Operation, type RateBucket } from '../platform/operation.ts'
import type { Principal } from '../platform/principal.ts'

export interface Message {
  method: string
  /** Of `tools/call`. */
  tool: string | undefined
}

/** The member names that matter of one JSON-RPC message; undefined where it is none. */
export function readMessage(value: unknown): Message | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { method, params } = value as { method?: unknown; params?: unknown }
  if (typeof method !== 'string') return undefined
  const name = typeof params === 'object' && params !== null ? (params as { name?: unknown }).name : undefined
  return { method, tool: method === 'tools/call' && typeof name === 'string' ? name : undefined }
}

const withCredential: ReadonlySet<string> = new Set(['prompts/get', 'completion/complete'])

/** What the message needs. Unknown methods and tools need nothing: they are answered as unknown to everybody. */
export function accessOf({ method, tool }: Message, operations: ReadonlyMap<string, Operation>): Access<Principal> {
  if (withCredential.has(method)) return anyCredential
  const operation = tool === undefined ? undefined : operations.get(tool)
  return operation?.access ?? open
}

/** The bucket that pays for the message: the operation's own, or the one of open methods, which pays for a response too. */
export function bucketOf(message: Message | undefined, operations: ReadonlyMap<string, Operation>): RateBucket {
  if (message === undefined) return 'discovery'
  const { method, tool } = message
  if (withCredential.has(method)) return 'api'
  return (tool === undefined ? undefined : operations.get(tool)?.limit) ?? 'discovery'
}

/** Throws the first refusal among `messages`; with `requireAuth` even an open one needs a credential. */
export function passGate(
  messages: readonly Message[],
  call: Pick<Call, 'principal' | 'address' | 'now' | 'requestId'>,
  { operations, requireAuth, limiter }: { operations: ReadonlyMap<string, Operation>; requireAuth: boolean; limiter: Limiter },
): void {
  if (requireAuth) admit(anyCredential, call, limiter)
  for (const message of messages) admit(accessOf(message, operations), call, limiter)
}
