// What the HTTP surface needs from the rest of the program. `app.ts` joins these; nothing here knows how they are met.
import type { Config } from '../../config/config.ts'
import type { ServiceError } from '@rostrum/base/errors'
import type { Principal } from '../principal.ts'

/** The part of the configuration that this surface reads. */
export type HttpConfig = Pick<
  Config,
  'host' | 'port' | 'baseUrl' | 'corsOrigins' | 'assetOrigin' | 'metricsToken' | 'trustProxy' | 'otlpEndpoint'
>

/** What a caller presented, before anything of the request is parsed. */
export interface Presented {
  method: string
  /** Every `Authorization` header as it came; more than one is an error. */
  authorization: readonly string[]
  /** `?token=` of the address, only where the operation takes the attendee's token there. */
  queryToken?: string
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  address: string
  now: number
  /** Without the query. */
  path: string
  /** The operation is open to anybody, so a credential of doubtful origin may count as none. */
  isOpen: boolean
}

/** Gives the principal, `nobody` where nothing was presented, or throws `invalid_token` (or `csrf_failed`). */
export type Authenticate = (presented: Presented) => Promise<Principal>

/** The `WWW-Authenticate` of a 401 or 403 (Spec 5.3); undefined where the error has none. */
export type Challenge = (error: ServiceError) => string | undefined

/** A content-addressed file under `/media/`. */
export interface MediaFile {
  type: string
  sizeBytes: number
  /** Whoever has a copy asks each time whether it is still there. */
  isAskedFor: boolean
  /** Fills `into` from `start` on; returns how many bytes it read, 0 where there is no such file any more. */
  read(start: number, into: Uint8Array): Promise<number>
}
/** `gone`: its owner has deleted what it was of. */
export type FindMedia = (name: string) => Promise<MediaFile | 'gone' | undefined>

/** Facts about one request that pages and discovery documents get beside the web-standard request. */
export interface RouteCall {
  request: Request
  params: Readonly<Record<string, string>>
  requestId: string
  /** The caller's address after trusted proxies. */
  address: string
  now: number
  /** Of the page's policy; the same for every reading within one request. */
  readonly nonce: string
  /** The whole body; throws `payload_too_large` beyond `maxBytes`. */
  bytes(maxBytes: number): Promise<Uint8Array>
  /** Authenticates by the header or the cookie; throws as `Authenticate` does. */
  principal(): Promise<Principal>
}

/** A route that is not an operation: a page, a document, an OAuth endpoint. */
export interface Route {
  /** `ALL` takes every method, and the route then answers 405 itself. */
  method: 'GET' | 'POST' | 'ALL'
  /** With parameters and a rest: `/join/:slug`, `/dashboard/*`. */
  path: string
  handle(call: RouteCall): Response | Promise<Response>
  /** Errors thrown by `handle` answer as an HTML page where the browser asks for one; else as a problem document. */
  kind: 'page' | 'document' | 'protocol'
}

/** The words of an error page, for the web's renderer. */
export interface ErrorPage {
  status: number
  title: string
  detail: string
  requestId: string
  nonce: string
}

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  debug(fields: object, message: string): void
}

/** Undefined where the principal has no credential that could end. */
export type TrackStream = (principal: Principal, close: () => void) => (() => void) | undefined
