// Query parameters that one of the two databases would refuse, change or drop are refused on both, before they are sent.

/** Throws on what SQLite and PostgreSQL would treat differently: U+0000, `undefined`, booleans, unsafe or broken numbers. */
export function checkParameters(parameters: readonly unknown[], sql: string): void {
  for (let i = 0; i < parameters.length; i++) {
    const problem = problemOf(parameters[i])
    if (problem !== null) throw new TypeError(`Parameter ${i + 1} ${problem} in: ${sql}`)
  }
}

function problemOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value.includes('\u0000') ? 'holds U+0000, which PostgreSQL cannot store' : null
    case 'number':
      return Number.isSafeInteger(value) ? null : 'is not a whole number within 2^53'
    case 'object':
      return value === null || value instanceof Uint8Array ? null : 'is an object; store JSON as text'
    default:
      return `is of type ${typeof value}; send text, a whole number, bytes or null`
  }
}
