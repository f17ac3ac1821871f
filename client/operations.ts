// The types of every operation over HTTP, derived from the declarations of the service; nothing here exists at run time. The package is
// built with the same types written out from /openapi.json (scripts/build-clients.ts).
import type { StreamMessage } from '@rostrum/contract/room'
import type { declarations } from '../server/operations.ts'
import type { routes, uploads } from './routes.ts'

type Lists = typeof declarations
type Declaration = Lists[keyof Lists][number]
type Wire = NonNullable<Declaration['wire']>

/** Operations that HTTP offers and the client can call: all but uploads. */
export type OperationName = Wire['name'] & keyof typeof routes
/** Those that take files. */
export type UploadName = Wire['name'] & keyof typeof uploads
/** Lists that are answered in pages. */
export type PagedName = Paged<Wire> & OperationName
type Paged<Each extends Wire> = Each extends { output: infer Output } ? ('nextCursor' extends keyof Output ? Each['name'] : never) : never
export type InputOf<Name extends Wire['name']> = Extract<Wire, { name: Name }>['input']
export type OutputOf<Name extends Wire['name']> = Extract<Wire, { name: Name }>['output']
/** What the stream of a run carries. */
export type RunMessage = StreamMessage
