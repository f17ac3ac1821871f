// Broadcasts that other processes present, followed here as if somebody attended them: whoever takes one over has its state folded and
// its talk at hand. A talk of one attendee is short to fold, and there are thousands of them.

/** Follows the run; gives what ends that. */
export type Follow = (runId: string) => Promise<() => void>

export interface Standby {
  /** `wanted`: open broadcasts of others. */
  refresh(wanted: readonly string[]): Promise<void>
  stop(): void
}

/** Each event of such a run is read once more by every process that stands by. */
export const followedMax = 8

export function createStandby(follow: Follow): Standby {
  const followed = new Map<string, () => void>()
  return {
    async refresh(broadcasts) {
      const wanted = new Set(broadcasts)
      for (const [runId, release] of followed) {
        if (wanted.has(runId)) continue
        followed.delete(runId)
        release()
      }
      for (const runId of wanted) if (!followed.has(runId)) followed.set(runId, await follow(runId))
    },
    stop() {
      for (const release of followed.values()) release()
      followed.clear()
    },
  }
}
