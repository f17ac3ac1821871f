// The way past Kysely's executor for compiled reads: it awaits five promises for each query, which costs as much as the embedded
// store takes to answer one.

type Direct = (sql: string, parameters: readonly unknown[]) => unknown[]

/** By reader; a reader that is not here has no such way (PostgreSQL, every transaction). */
export const directRows = new WeakMap<object, Direct>()
