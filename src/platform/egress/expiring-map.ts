// A bounded map whose entries expire: answers of the resolver and of the blocklist are kept in one.

export interface ExpiringMap<Value> {
  get(key: string, now: number): Value | undefined
  /** A lifetime of 0 keeps nothing. */
  set(key: string, value: Value, now: number, lifeMs: number): void
}

/** The oldest entry makes room when `sizeMax` is reached. */
export function expiringMap<Value>(sizeMax: number): ExpiringMap<Value> {
  const entries = new Map<string, { value: Value; until: number }>()
  return {
    get(key, now) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.until > now) return entry.value
      entries.delete(key)
      return undefined
    },
    set(key, value, now, lifeMs) {
      entries.delete(key)
      if (lifeMs <= 0) return
      const oldest = entries.size >= sizeMax ? entries.keys().next().value : undefined
      if (oldest !== undefined) entries.delete(oldest)
      entries.set(key, { value, until: now + lifeMs })
    },
  }
}
