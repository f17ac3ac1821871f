// What a process sees of the world until it is killed.
import type { Clock } from '@rostrum/base/clock'
import type { Store } from '../../server/platform/db/store.ts'
import type { ManualClock } from '../support/clock.ts'

/** A store and a clock that stop answering when their process dies. */
export function mortal(store: Store, clock: ManualClock): { store: Store; clock: Clock; die(): { wake: () => void } } {
  let death: Promise<void> | null = null
  return {
    store: {
      ...store,
      async write(fn) {
        await death
        return store.write(fn)
      },
      listen: (prefix, listener) => store.listen(prefix, (topic) => (death === null ? listener(topic) : undefined)),
    },
    clock: { ...clock, after: (ms, fn) => clock.after(ms, () => (death === null ? fn() : undefined)) },
    die() {
      const { promise, resolve } = Promise.withResolvers<void>()
      death = promise
      return { wake: resolve }
    },
  }
}
