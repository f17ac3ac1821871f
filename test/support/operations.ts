// The list of operations for tests of its shape: schemas, access, views. Nothing is bound, so nothing can run.
import type { Declared, Operation } from '../../src/platform/operation.ts'
import { declarations } from '../../src/operations.ts'

/** Every public operation, in order. Calling one fails: it has no dependencies. */
export const allOperations: readonly Operation[] = Object.values(declarations).flatMap((group) =>
  (group as readonly Declared<unknown>[]).map((declared) => declared.bind(undefined)),
)
