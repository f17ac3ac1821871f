// Work of the real world that this process has asked for and not been given: statements of a store, above all. While there is any,
// virtual time stands still (clock.ts), so that no outcome depends on how fast this machine is.
let count = 0
let whenNone: PromiseWithResolvers<void> | undefined

/** Something is under way from now until the function returned is called; calling it twice is harmless. */
export function begin(): () => void {
  let isOpen = true
  count++
  return () => {
    if (!isOpen) return
    isOpen = false
    if (--count > 0) return
    whenNone?.resolve()
    whenNone = undefined
  }
}

/** `work` is under way until it is settled. */
export function track<T>(work: Promise<T>): Promise<T> {
  const end = begin()
  work.then(end, end)
  return work
}

export const isUnderWay = (): boolean => count > 0

/** Resolves when nothing is under way any more. */
export function nothingUnderWay(): Promise<void> {
  if (count === 0) return Promise.resolve()
  whenNone ??= Promise.withResolvers()
  return whenNone.promise
}
