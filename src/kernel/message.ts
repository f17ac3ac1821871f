// One HTTP request of a busy protocol and its answer, spared the web-standard objects: members are read from Node's own message
// where there is one (docs/decisions/010).
import type { Principal } from './principal.ts'

/** One request as a protocol route reads it: from Node's own message where there is one. */
export interface MessageCall {
  method: string
  /** The `Host` header, or the host of the address where a caller in the process sent none. */
  host: string
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  headers(): Headers
  /** The whole body; throws `payload_too_large` beyond `maxBytes`. */
  bytes(maxBytes: number): Promise<Uint8Array>
  /** Aborts when the caller has gone; made when it is first read. */
  readonly signal: AbortSignal
  requestId: string
  address: string
  now: number
  /** Authenticates by the header alone: a cookie counts for nothing here. Throws `invalid_token` for a bad one. */
  principal(): Promise<Principal>
}

export interface MessageAnswer {
  status: number
  headers: Record<string, string>
  body: string | ReadableStream<Uint8Array> | null
}
