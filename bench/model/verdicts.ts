// Judges a set of planted sentences: how many pass, by kind, and which.
import { verifyClaim } from '@rostrum/answers/verify-claim'
import type { Planted } from './planted.ts'

export interface Judged extends Planted {
  verdict: string
}

export function judgeAll(all: readonly Planted[]): Judged[] {
  return all.map((planted) => {
    const { session, text, sources } = planted
    const verdict = verifyClaim({ text, sources }, { index: session.index, title: session.title, question: '', leaks: () => false })
    return { ...planted, verdict: verdict.ok ? 'ok' : verdict.reason }
  })
}

export const shareOf = (all: readonly Judged[], holds: (judged: Judged) => boolean): number =>
  all.filter(holds).length / Math.max(1, all.length)
