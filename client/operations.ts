// The types of every operation over HTTP, derived from the declarations of the service; nothing here exists at run time.
import type { declarations } from '../src/operations.ts'
import type { routes } from './routes.ts'

type Lists = typeof declarations
type Declaration = Lists[keyof Lists][number]
type Wire = NonNullable<Declaration['wire']>

/** Operations that HTTP offers and the client can call: all but uploads and streams. */
export type OperationName = Wire['name'] & keyof typeof routes
export type InputOf<Name extends Wire['name']> = Extract<Wire, { name: Name }>['input']
export type OutputOf<Name extends Wire['name']> = Extract<Wire, { name: Name }>['output']
