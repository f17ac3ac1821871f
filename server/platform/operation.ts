// An operation is one public act, declared once: who may call it, what it takes, what it does and how each surface
// shows the result. HTTP routes, MCP tools, OpenAPI and the docs are projections of these declarations.
// Order inside every call: authenticate, scope, rate limit, parse, run, view (docs/decisions/001).
import type { z } from 'zod'
import type { RateBucket } from '../config/config.ts'
import { type ErrorCode, ServiceError } from '@rostrum/base/errors'
import { parseInput } from './parse.ts'
import type { SentBody } from './sent-file.ts'
import {
  type AccountPrincipal,
  actsForAccount,
  type AttendeePrincipal,
  type Principal,
  type Scope,
  type UserPrincipal,
} from './principal.ts'

/** What one call knows besides its input. `signal` aborts when the caller has gone. */
export interface Call<P extends Principal = Principal> {
  principal: P
  now: number
  requestId: string
  /** The caller's address after trusted proxies; for limits and audit. */
  address: string
  signal: AbortSignal
  /** Says that a slow call has come to its step 2, 3, ...; absent where nobody asked. */
  progress?: (step: number) => void
  /**
   * Called with the result in the transaction that does the work: with it is kept what a repeat with the same `Idempotency-Key` is
   * answered, whatever becomes of this process. Throws, which undoes the work, where such a repeat has taken it over. Absent without a key.
   */
  doneIn?: ((tx: object, result: unknown) => Promise<void>) | undefined
}

/** Who may call. `P` is what the handler may rely on. */
export interface Access<P extends Principal> {
  type: 'open' | 'credential' | 'scopes' | 'attendee' | 'attendee_or_scopes' | 'sign_in'
  scopes: readonly Scope[]
  accepts(principal: Principal): principal is P
}

const isAttendee = (principal: Principal): principal is AttendeePrincipal => principal.kind === 'attendee'

/** Anybody, with or without a credential. */
export const open: Access<Principal> = { type: 'open', scopes: [], accepts: (_): _ is Principal => true }
/** Any valid credential of an account, an anonymous agent's included. */
export const anyCredential: Access<AccountPrincipal> = { type: 'credential', scopes: [], accepts: actsForAccount }
/** The attendee of a run, by the token of the join. */
export const attendeeOnly: Access<AttendeePrincipal> = { type: 'attendee', scopes: [], accepts: isAttendee }
/** A person signed in by cookie; bearer credentials are refused. */
export const signedIn: Access<UserPrincipal> = {
  type: 'sign_in',
  scopes: [],
  accepts: (principal): principal is UserPrincipal => principal.kind === 'user',
}
/** A credential that holds all of `needed`. */
export function scoped(...needed: Scope[]): Access<AccountPrincipal> {
  return { type: 'scopes', scopes: needed, accepts: actsForAccount }
}
/** The attendee of the run, or a credential of the owning account with `needed`. */
export function attendeeOr(...needed: Scope[]): Access<AttendeePrincipal | AccountPrincipal> {
  const accepts = (principal: Principal): principal is AttendeePrincipal | AccountPrincipal =>
    isAttendee(principal) || actsForAccount(principal)
  return { type: 'attendee_or_scopes', scopes: needed, accepts }
}

/** Tool-protocol hints (spec 4.5); HTTP uses `readOnly` for its methods. */
export interface Effects {
  readOnly: boolean
  destructive: boolean
  idempotent: boolean
  openWorld: boolean
}

export const reads: Effects = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
export const creates: Effects = { readOnly: false, destructive: false, idempotent: false, openWorld: false }
export const changes: Effects = { readOnly: false, destructive: false, idempotent: true, openWorld: false }
export const deletes: Effects = { readOnly: false, destructive: true, idempotent: true, openWorld: false }

/** A long-lived `text/event-stream` answer: `open` starts it. */
export interface EventFeed {
  open(sink: FeedSink): OpenFeed
  /** Called instead of `open` where only the head is answered. */
  discard?(): void
}

export interface OpenFeed {
  /** Called when the reader has gone, also after the feed has closed the sink itself. */
  stop(): void
}

export interface FeedSink {
  /** Writes whole messages. False: the reader lags more than the server keeps; the feed should close it (it resumes by id). */
  write(chunk: Uint8Array): boolean
  close(): void
}

export interface HttpView<Result, Output extends z.ZodType = z.ZodType> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/api/v1/agent/sessions/{sessionId}`: names in braces are members of the input. */
  path: string
  /** 200 unless said otherwise. */
  status?: number | { choices: readonly number[]; of(result: Result): number }
  /** The success body; undefined where there is none, or where it is not JSON. */
  output?: Output
  /** The result as it is unless said otherwise. */
  view?: (result: Result) => unknown
  headers?: (result: Result) => Readonly<Record<string, string>>
  /** Other representations by `Accept`; the key is the media type. */
  formats?: Readonly<Record<string, (result: Result) => string>>
  /** Reads a body that is not a JSON object (an upload). Path and query members are merged over what it returns. */
  readBody?: (body: SentBody) => Promise<Record<string, unknown>>
  /** Request headers, in lower case, that fill members of the input: `{ 'last-event-id': 'lastEventId' }`. */
  headerMembers?: Readonly<Record<string, string>>
  /** What is sent is kept as files: where the disk has no room for them, it is refused on the head. */
  isKept?: true
  /** Media types that `readBody` takes, for OpenAPI. */
  bodyTypes?: readonly string[]
  /** Largest body in bytes; 1 MiB unless said otherwise. Larger ones, and uploads, are asked for by `before`. */
  bodyMax?: number
  /** The result is the feed itself. `json` answers `Accept: application/json`. */
  feed?: (result: Result) => EventFeed | undefined
  /** The attendee's token may travel as `?token=`: only the run stream and `leave`. */
  tokenInQuery?: true
}

export interface ToolView<Result> {
  title: string
  description: string
  /** Where the tool's input differs from the operation's: its schema, a subset of the operation's input. */
  input?: z.ZodType
  output: z.ZodType
  /** May be a promise: what only tools show is read here. */
  view: (result: Result) => unknown
  /** Path of the `ui://{host}` resource that shows the result. */
  ui?: string
  /** Calls of the tool that are, by what they carry, calls of other operations, one after the other; the last one's result is shown. */
  instead?: {
    of(sent: Readonly<Record<string, unknown>>): readonly { name: string; input: object }[] | undefined
    view(result: unknown, sent: Readonly<Record<string, unknown>>): unknown
  }
  /** The member that makes a repeat harmless, as `Idempotency-Key` does over HTTP. */
  repeatKey?: string
}

/** It works on, and will go: since which day that is known, its last day once it is set, and what to use instead, in words. */
export interface Deprecation {
  since: `${number}-${number}-${number}`
  sunset?: `${number}-${number}-${number}`
  use: string
}

/** What is known of a body before it comes. */
export interface BodyHead {
  /** Its media type without parameters, in lower case. */
  type: string
  /** As `Content-Length` announces it; undefined for one that comes in chunks. */
  sizeBytes: number | undefined
}

/** The members that stand in a path, which are known before the body. */
type Named<Input> = Pick<Input, keyof Input & ('sessionId' | 'recordingId' | 'runId')>

export interface Declaration<Name extends string, Input extends z.ZodType, Result, P extends Principal, Deps, Output extends z.ZodType> {
  /** snake_case; the tool name and the operation id. */
  name: Name
  /** One line in the imperative. */
  summary: string
  /** Anything a caller must know that the schemas do not say. */
  description?: string
  access: Access<P>
  /** Those of its method over HTTP unless said otherwise. */
  effects?: Effects
  /** `api` unless said otherwise. */
  limit?: RateBucket
  /**
   * Codes beyond those every operation may answer (invalid_request, invalid_token, insufficient_scope, rate_limited), those of a sign-in,
   * and `not_found` where its path names something.
   */
  errors?: readonly ErrorCode[]
  input: Input
  /** Where members belong that people send here, in words: `{ slides: 'send it to PUT ...' }`; of what a list holds `{ 'slides.polls': ... }`. */
  elsewhere?: Readonly<Record<string, string>>
  /** The response carries a secret: never kept for `Idempotency-Key`, never cached. */
  secret?: true
  deprecated?: Deprecation
  /**
   * Says by the head alone whether the body is wanted: that its object is there and the caller's, that there is room. After scope and limit,
   * before a byte of the body is read. Throws what `run` would.
   */
  before?: (named: Named<z.output<Input>>, call: Call<P>, deps: Deps, head: BodyHead) => Promise<unknown>
  run: (input: z.output<Input>, call: Call<P>, deps: Deps) => Promise<Result>
  http?: HttpView<NoInfer<Result>, Output>
  tool?: ToolView<NoInfer<Result>>
}

/** A declaration joined with what its handler needs; types are erased, so every surface can walk one list. */
export interface Operation {
  name: string
  /** Feature that owns it; the tag in OpenAPI and docs. */
  area: string
  summary: string
  description?: string
  access: Access<Principal>
  effects: Effects
  limit: RateBucket
  errors: readonly ErrorCode[]
  input: z.ZodType
  elsewhere?: Readonly<Record<string, string>>
  secret: boolean
  deprecated?: Deprecation
  http?: HttpView<unknown>
  tool?: ToolView<unknown>
  before?(named: unknown, call: Call, head: BodyHead): Promise<unknown>
  handle(input: unknown, call: Call): Promise<unknown>
}

/** What the typed client knows of an operation over HTTP. */
export interface WireTypes {
  name: string
  input: unknown
  output: unknown
}

export interface Declared<Deps, Wire extends WireTypes = WireTypes> {
  bind(deps: Deps, area?: string): Operation
  /** Types only; never present at run time. */
  readonly wire?: Wire
}

const effectsOf = { GET: reads, POST: creates, PUT: changes, PATCH: changes, DELETE: deletes } as const

/** Declares an operation. `bind` gives it the dependencies of its feature; nothing runs before. */
export function operation<const Name extends string, Input extends z.ZodType, Result, P extends Principal, Deps, Output extends z.ZodType>(
  declaration: Declaration<Name, Input, Result, P, Deps, Output>,
): Declared<Deps, { name: Name; input: z.input<Input>; output: z.output<Output> }> {
  return {
    bind(deps, area = '') {
      const {
        run,
        before,
        secret,
        errors = [],
        limit = 'api',
        access,
        effects = effectsOf[declaration.http?.method ?? 'POST'],
        ...shown
      } = declaration
      const ofPath: ErrorCode[] = declaration.http?.path.includes('{') ? ['not_found'] : []
      const ofPages: ErrorCode[] = effects.readOnly ? ['sign_in_required'] : ['csrf_failed', 'sign_in_required']
      return {
        ...shown,
        area,
        effects,
        limit,
        errors: [...new Set([...ofPath, ...errors, ...(access.type === 'sign_in' ? ofPages : [])])],
        secret: secret === true,
        // The casts are safe: `authorize` has proved the principal, `parseInput` the input, and views only ever see
        // what this `run` returned.
        access: access as Access<Principal>,
        ...(before && {
          before: (named: unknown, call: Call, head: BodyHead) => before(named as Named<z.output<Input>>, call as Call<P>, deps, head),
        }),
        handle: (input, call) => run(input as z.output<Input>, call as Call<P>, deps),
      } as Operation
    },
  }
}

/**
 * `If-Match` (RFC 9110 section 13.1.1) counts on every change at an address that can also be read: a change is made of what its caller
 * has read, or not at all. The operation that reads it; undefined where there is none, or where the change looks at the header itself.
 */
export function shownBefore({ effects, secret, http }: Operation, operations: readonly Operation[]): Operation | undefined {
  if (http === undefined || effects.readOnly || http.method === 'POST' || secret || http.headerMembers?.['if-match'] !== undefined)
    return undefined
  return operations.find((each) => each.http?.method === 'GET' && each.http.path === http.path && !each.secret)
}

/** Refuses a principal that may not call: `invalid_token` without a credential, `insufficient_scope` naming all that is needed. */
export function authorize(access: Access<Principal>, principal: Principal): void {
  if (access.type === 'open') return
  if (principal.kind === 'nobody') {
    const words =
      access.type === 'attendee'
        ? 'This call needs the token of an attendee: POST {base_url}/api/v1/rooms/{key}/attendees gives one. Send `Authorization: Bearer <token>`.'
        : 'This call needs a credential: send `Authorization: Bearer <token>`. {base_url}/auth.md shows how to get one.'
    throw new ServiceError('invalid_token', words)
  }
  if (!access.accepts(principal)) {
    if (access.type === 'sign_in') throw new ServiceError('sign_in_required', 'This is for a signed-in person; use the dashboard.')
    if (access.type === 'attendee') throw new ServiceError('forbidden', 'This takes the token of an attendee of the run.')
    throw new ServiceError('forbidden', 'The token of an attendee may not do this; send an API key or an agent token.')
  }
  if (principal.kind === 'attendee') return
  const held: readonly string[] = principal.scopes
  if (access.scopes.some((scope) => !held.includes(scope))) {
    const remedy =
      principal.kind === 'agent' ? 'ask your person to claim this agent, or use a credential that has it' : 'use a credential that has it'
    throw new ServiceError('insufficient_scope', `This needs ${access.scopes.join(' and ')}: ${remedy}.`, {
      members: { scopes_required: access.scopes },
    })
  }
}

/** What the limiter says of one call; `headers` go on the response whether it passed or not. */
export interface LimitVerdict {
  allowed: boolean
  /** In place of the usual words of a refusal. */
  refusal?: ServiceError
  headers: Readonly<Record<string, string>>
}

export interface Limiter {
  consume(bucket: RateBucket, call: Pick<Call, 'principal' | 'address' | 'now'>): Promise<LimitVerdict>
  /** A credential asked for what its scopes do not allow. Never throws, never waits. */
  scopeRefused?(call: Admitted, needed: readonly string[]): void
}

type Admitted = Pick<Call, 'principal' | 'address' | 'now' | 'requestId'>

/** `authorize`, of which the limiter learns where a scope was refused. */
export function admit(access: Access<Principal>, call: Admitted, limiter: Limiter): void {
  try {
    authorize(access, call.principal)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'insufficient_scope') limiter.scopeRefused?.(call, access.scopes)
    throw error
  }
}

/** Throws `rate_limited` where the limiter refuses. */
export function checkVerdict({ allowed, headers, refusal }: LimitVerdict): void {
  if (allowed) return
  throw refusal ?? new ServiceError('rate_limited', `Too many calls. Try again in ${headers['Retry-After'] ?? '1'} s.`, { headers })
}

export interface Invocation {
  call: Call
  /** Reads the raw input; called only after the credential, the scope and the limit have passed. */
  read: () => unknown
  limiter: Limiter
  /** Receives the limiter's headers, also when the call is then refused. */
  onLimit?: (headers: Readonly<Record<string, string>>) => void
}

/** The one way in: scope, rate limit, parse, run. The caller has authenticated and will apply its own view to the result. */
export async function invoke(target: Operation, { call, read, limiter, onLimit }: Invocation): Promise<unknown> {
  admit(target.access, call, limiter)
  const verdict = await limiter.consume(target.limit, call)
  onLimit?.(verdict.headers)
  checkVerdict(verdict)
  return target.handle(parseInput(target.input, await read()), call)
}
