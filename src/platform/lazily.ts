// Makes a value when it is first asked for, and keeps it: what the first answer does not need, a start does not wait for.

export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
