// The hooks of Preact that the room uses. `useEffect` and `useLayoutEffect` are one: both run when the page is drawn, before it is painted.
import type { Component } from './description.ts'
import type { Effect, Part, Slot } from './tree.ts'
import { drawingPart, nextSlot, redraw, runLater } from './tree.ts'

function changed(slot: Slot, deps: readonly unknown[] | undefined): boolean {
  const { deps: before } = slot
  slot.deps = deps
  return before === undefined || deps === undefined || deps.some((dep, at) => !Object.is(dep, before[at]))
}

export function useMemo<T>(make: () => T, deps: readonly unknown[]): T {
  const slot = nextSlot()
  if (changed(slot, deps)) slot.value = make()
  return slot.value as T
}

export const useRef = <T>(current: T): { current: T } => useMemo(() => ({ current }), [])

let ids = 0
export const useId = (): string => useMemo(() => `id-${ids++}`, [])

export function useState<T>(initial: T | (() => T)): [T, (next: T | ((before: T) => T)) => void] {
  const part = drawingPart()
  const state = useMemo(() => {
    const held = {
      now: resolve(initial),
      set(next: T | ((before: T) => T)) {
        const value = resolve(next, held.now)
        if (Object.is(value, held.now)) return
        held.now = value
        redraw(part)
      },
    }
    return held
  }, [])
  return [state.now, state.set]
}

function resolve<T, Given extends unknown[]>(value: T | ((...given: Given) => T), ...given: Given): T {
  return typeof value === 'function' ? (value as (...given: Given) => T)(...given) : value
}

export function useEffect(run: Effect, deps?: readonly unknown[]): void {
  const slot = nextSlot()
  if (!changed(slot, deps)) return
  slot.run = run
  runLater(slot)
}

export { useEffect as useLayoutEffect }

export interface Context<T> {
  Provider: Component
  initial: T
}

export function createContext<T>(initial: T): Context<T> {
  // A component of its own, by which it is found again.
  return { Provider: ({ children }) => children, initial }
}

/** The value of the nearest provider. Drawing a component draws all below it, so that nobody needs to subscribe. */
export function useContext<T>({ Provider, initial }: Context<T>): T {
  let part: Part | null = drawingPart()
  while (part && part.made.type !== Provider) part = part.owner
  return part ? (part.made.props.value as T) : initial
}
