// Loaded into the referee: it gives an answer half a second to ten, and a scenario thirty. Against a healthy service none of these
// limits is met, so that they measure the machine alone; here they are longer.
const factor = 20
const limitsFromMs = 500

const stretched = (ms = 0) => (ms >= limitsFromMs ? ms * factor : ms)
const { setTimeout: after } = globalThis
const { timeout } = AbortSignal

Object.assign(globalThis, {
  setTimeout: (fn: () => void, ms?: number, ...args: unknown[]): unknown => Reflect.apply(after, globalThis, [fn, stretched(ms), ...args]),
})
AbortSignal.timeout = (ms) => Reflect.apply(timeout, AbortSignal, [stretched(ms)])
