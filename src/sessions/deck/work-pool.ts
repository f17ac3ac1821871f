// Work that waits in a store and may be claimed by any process: this process does a few pieces of it at a time.

export interface WorkPoolParts {
  /** Pieces done at once. */
  concurrency: number
  /** Claims a piece and returns what does it, which never rejects; undefined where nothing is due. */
  claim(): Promise<(() => Promise<void>) | undefined>
  /** The store could not be looked at; the next wake tries again. */
  warn(error: unknown): void
}

export interface WorkPool {
  /** Nothing is claimed before. */
  open(): void
  /** Claims what is due, as far as there is room. */
  wake(): void
  /** Resolves when nothing is due or under way. */
  idle(): Promise<void>
  /** Claims nothing more; resolves when all that was claimed is done with. */
  close(): Promise<void>
}

export function createWorkPool({ concurrency, claim, warn }: WorkPoolParts): WorkPool {
  const running = new Set<Promise<void>>()
  let isOpen = false
  let looking: Promise<void> | undefined
  let wokenMeanwhile = false

  /** One look at a time; a call during one makes it look once more. */
  function look(): Promise<void> {
    wokenMeanwhile = true
    looking ??= lookAround().finally(() => (looking = undefined))
    return looking
  }

  async function lookAround(): Promise<void> {
    while (wokenMeanwhile) {
      wokenMeanwhile = false
      while (isOpen && running.size < concurrency && (await startNext()));
    }
  }

  async function startNext(): Promise<boolean> {
    const piece = await claim()
    if (piece === undefined) return false
    const work = piece()
    running.add(work)
    void work.finally(() => {
      running.delete(work)
      wake()
    })
    return true
  }

  function wake(): void {
    if (isOpen) look().catch(warn)
  }

  return {
    open() {
      isOpen = true
    },
    wake,
    async idle() {
      do {
        await look()
        await Promise.all(running)
      } while (running.size > 0 || looking !== undefined)
    },
    async close() {
      isOpen = false
      // A claim under way is given back, before the store goes.
      await looking?.catch(() => undefined)
      await Promise.all(running)
    },
  }
}
