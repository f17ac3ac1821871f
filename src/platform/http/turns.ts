// So many requests begin in one turn of the loop, and the others in the next ones: a thousand attendees that come back at once find
// their place one after another, while timers, answers of the database and running talks have their turn in between.

const perTurn = 16

/** Calls `begin` with the arguments of each call, at once or a few turns later, in their order. */
export function inTurns<Args extends unknown[]>(begin: (...args: Args) => void): (...args: Args) => void {
  const waiting: Args[] = []
  let begun = 0

  function nextTurn(): void {
    begun = 0
    for (const args of waiting.splice(0, perTurn)) start(args)
  }

  function start(args: Args): void {
    begun++
    // The first of a turn sees to the end of it.
    if (begun === 1) setImmediate(nextTurn)
    begin(...args)
  }

  return (...args) => {
    if (begun < perTurn && waiting.length === 0) start(args)
    else waiting.push(args)
  }
}
