// Keeps what was made of recently asked sessions in memory, bounded by bytes: what was asked longest ago goes first.

export interface IndexCache<T> {
  /** What is kept under `name`, made by `make` on a miss. A failure is not kept. */
  get(name: string, make: () => Promise<T>): Promise<T>
  /** Forgets all names that begin so, for example those of a session that has changed. */
  drop(prefix: string): void
}

/** `sizeOf`: in bytes. The value that was made last stays whatever its size. */
export function createIndexCache<T>(sizeOf: (value: T) => number, sizeBytesMax = 256 * 1024 * 1024): IndexCache<T> {
  const kept = new Map<string, { value: Promise<T>; sizeBytes: number }>()
  function makeRoom(newest: string): void {
    let total = 0
    for (const { sizeBytes } of kept.values()) total += sizeBytes
    for (const [name, { sizeBytes }] of kept) {
      if (total <= sizeBytesMax) return
      if (name === newest || sizeBytes === 0) continue
      total -= sizeBytes
      kept.delete(name)
    }
  }
  return {
    get(name, make) {
      const found = kept.get(name)
      const entry = found ?? { value: make(), sizeBytes: 0 }
      kept.delete(name)
      kept.set(name, entry)
      if (found === undefined) {
        entry.value.then(
          (value) => {
            if (kept.get(name) !== entry) return
            entry.sizeBytes = sizeOf(value)
            makeRoom(name)
          },
          () => {
            if (kept.get(name) === entry) kept.delete(name)
          },
        )
      }
      return entry.value
    },
    drop(prefix) {
      for (const name of kept.keys()) if (name.startsWith(prefix)) kept.delete(name)
    },
  }
}
