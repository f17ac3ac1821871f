// A map that shares its structure: `put` copies one bucket of 256, so a fold over ten thousand visits stays pure and cheap.

/** Immutable; keys keep no order. */
export interface Register<T> {
  readonly size: number
  get(key: string): T | undefined
  put(key: string, value: T): Register<T>
  values(): Iterable<T>
  entries(): Iterable<readonly [string, T]>
}

const bucketCount = 256

function bucketOf(key: string): number {
  let hash = 0
  for (let i = key.length - 1, end = Math.max(0, key.length - 8); i >= end; i--) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0
  return hash & (bucketCount - 1)
}

function registerOf<T>(buckets: readonly (ReadonlyMap<string, T> | undefined)[], size: number): Register<T> {
  return {
    size,
    get: (key) => buckets[bucketOf(key)]?.get(key),
    put(key, value) {
      const at = bucketOf(key)
      const bucket = new Map(buckets[at])
      const before = bucket.size
      bucket.set(key, value)
      return registerOf(buckets.with(at, bucket), size + bucket.size - before)
    },
    *values() {
      for (const bucket of buckets) if (bucket !== undefined) yield* bucket.values()
    },
    *entries() {
      for (const bucket of buckets) if (bucket !== undefined) yield* bucket.entries()
    },
  }
}

const noBuckets: readonly undefined[] = Array.from({ length: bucketCount }, () => undefined)

export function emptyRegister<T>(): Register<T> {
  return registerOf<T>(noBuckets, 0)
}
