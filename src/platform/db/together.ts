// Callers that come at the same time share one round trip: what a crowd asks for one by one costs the database as much as what a few
// ask. Nobody waits when nothing is under way.

export interface TogetherOptions {
  /** So many at once; the others follow, and whoever waits for the loop gets their turn in between. */
  itemsMax: number
}

/** `work` gets the items of one turn, and those that came while the batch before was under way; its results stand in their order. */
export function together<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { itemsMax }: TogetherOptions,
): (item: Item) => Promise<Result> {
  interface Caller {
    item: Item
    resolve(result: Result): void
    reject(error: unknown): void
  }
  const queue: Caller[] = []
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || queue.length === 0) return
    isScheduled = true
    setImmediate(() => void flush())
  }

  async function flush(): Promise<void> {
    const callers = queue.splice(0, itemsMax)
    try {
      const results = await work(callers.map(({ item }) => item))
      if (results.length !== callers.length) throw new Error(`${results.length} results for ${callers.length} items.`)
      results.forEach((result, at) => callers[at]?.resolve(result))
    } catch (error) {
      for (const { reject } of callers) reject(error)
    }
    isScheduled = false
    schedule()
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    queue.push({ item, resolve, reject })
    schedule()
    return promise
  }
}
