// The arithmetic of the ledger: what a rule is worth is how many things are right with it and wrong without, less the other way round.
import type { Points } from './sets.ts'

export interface Worth {
  /** Right with the rule, wrong without. */
  won: number
  /** The other way round. */
  lost: number
}

export function worthOf(on: Points, off: Points): Worth {
  let [won, lost] = [0, 0]
  for (const [name, isRight] of on) {
    const wasRight = off.get(name)
    if (wasRight === undefined || wasRight === isRight) continue
    if (isRight) won++
    else lost++
  }
  return { won, lost }
}

export const pointsOf = ({ won, lost }: Worth): number => won - lost

/** "+12" where it only wins, "+3 (5, 2)" where it loses too: won and lost. */
export function inWords(worth: Worth): string {
  const points = pointsOf(worth)
  const shown = points > 0 ? `+${points}` : String(points)
  return worth.lost === 0 ? shown : `${shown} (${worth.won}, ${worth.lost})`
}

/** Nothing moves on any set. */
export const isIdle = (worths: readonly Worth[]): boolean => worths.every(({ won, lost }) => won === 0 && lost === 0)
export const total = (worths: readonly Worth[]): number => worths.reduce((sum, worth) => sum + pointsOf(worth), 0)
