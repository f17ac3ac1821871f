// The way past Kysely's executor for compiled statements: it awaits five promises for each, which costs as much as the embedded store
// takes to answer one. PostgreSQL prepares them once for each connection.

export interface DirectRows {
  rows(sql: string, parameters: readonly unknown[]): unknown[] | Promise<unknown[]>
}

/** By reader or transaction; what is not here (a reader with plugins) has no such way. */
export const directRows = new WeakMap<object, DirectRows>()
