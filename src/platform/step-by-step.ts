// Long work that stays in the server's thread, in turns with whatever else there is to do there: between two of its steps others
// come first once it has had 10 ms. See docs/decisions/022-long-work-leaves-the-server-thread.md.
import { setImmediate } from 'node:timers/promises'

const turnMs = 10

let lastTurn: Promise<unknown> = Promise.resolve()

/** A round of the event loop in which no other such work goes on: ten at once make nobody wait ten times as long. */
function ownTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => setImmediate())
  return lastTurn
}

/** What `work` returns. Each of its steps takes a few milliseconds at most. */
export async function stepByStep<T>(work: Generator<undefined, T>): Promise<T> {
  for (;;) {
    await ownTurn()
    const since = performance.now()
    while (performance.now() - since < turnMs) {
      const step = work.next()
      if (step.done) return step.value
    }
  }
}
