// What a rehearsal will ask: made from public content and a seed, kept with the rehearsal so that its report can be read alone.
import type { Ids } from '../../platform/ids.ts'
import type { DeckContent } from '../../sessions/deck/content.ts'
import { syntheticAudience, type SyntheticQuestion } from './synthetic-audience.ts'

export interface PlannedQuestion extends SyntheticQuestion {
  id: string
}

export interface RehearsalPlan {
  seed: number
  /** How many times faster than spoken. */
  speed: number
  questions: readonly PlannedQuestion[]
}

export function makePlan(
  content: Pick<DeckContent, 'language' | 'slides' | 'passages'>,
  wanted: { questions: number; seed: number; speed: number },
  ids: Ids,
): RehearsalPlan {
  const { seed, speed } = wanted
  return { seed, speed, questions: syntheticAudience(content, wanted).map((question) => ({ id: ids.uuid(), ...question })) }
}
