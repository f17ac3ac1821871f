// The list of operations for tests of its shape: schemas, access, views. Nothing is bound, so nothing can run.
import { type OperationDeps, operations } from '../../server/operations.ts'

/** Every public operation, in order. Calling one fails: it has no dependencies. */
export const allOperations = operations({} as OperationDeps)
