// The figures of a claim against those of its sources: the value, the measure beside it, what it counts, and where it stands. Pure.
import { claimTokens, type Figure, isFigure, type SourceFacts, type UnitFacts } from './claim-facts.ts'
import { isMisplaced, isOutdone } from './claim-places.ts'
import { compares } from './claim-words.ts'
import type { SessionIndex } from './ranking/session-index.ts'

export interface FigureCheck {
  text: string
  figures: readonly Figure[]
  cited: readonly SourceFacts[]
  units: readonly UnitFacts[]
  question: string
  index: SessionIndex
}

/** "14 hours" is not "14 days": the measure is that of the source, or one it names where it says none beside the figure. */
function hasMeasure({ value, measures }: Figure, { units, cited }: FigureCheck): boolean {
  return measures.every(({ name }) =>
    units.some((unit) => {
      const same = unit.figures.filter((figure) => figure.value === value)
      if (same.some((figure) => figure.measures.some((measure) => measure.name === name))) return true
      const isOpen = same.some((figure) => figure.counts === undefined && figure.measures.length === 0)
      return isOpen && cited.some((source) => source.measures.has(name))
    }),
  )
}

/** "90 wagons" where the source has 90 days and 25 wagons. */
function isMiscounted({ value, counts }: Figure, { units }: FigureCheck): boolean {
  if (counts === undefined) return false
  const counted = units.flatMap(({ figures }) => figures.filter((figure) => figure.counts === counts))
  return counted.length > 0 && !counted.some((figure) => figure.value === value)
}

/** A figure that the claim repeats more often than its sources say it. */
function isRepeated({ figures, units }: FigureCheck): boolean {
  const times = (all: readonly Figure[], value: string) => all.filter((figure) => figure.value === value).length
  const theirs = units.flatMap((unit) => unit.figures)
  return figures.some(({ value }) => times(figures, value) > 1 && times(figures, value) > times(theirs, value))
}

function faultOf(figure: Figure, check: FigureCheck): 'figure' | 'measure' | 'misplaced' | null {
  const { value, pair, isDated } = figure
  const { text, figures, units, index } = check
  if (isDated && !units.some((unit) => unit.figures.some((other) => other.pair === pair))) return 'figure'
  if (!hasMeasure(figure, check) || isMiscounted(figure, check)) return 'measure'
  const isElsewhere = isMisplaced(value, (unit) => unit.values.has(value), text, units, index)
  return isElsewhere || isOutdone(value, figures, text, units, index.language) ? 'misplaced' : null
}

/** The first fault in the figures of a claim; null when they all stand in its sources as it says them. */
export function figureFault(check: FigureCheck): 'figure' | 'measure' | 'misplaced' | null {
  const { text, figures, cited, question, index } = check
  const known = new Set(cited.flatMap((source) => [...source.values]))
  const asked = new Set(
    claimTokens(question, index.language)
      .filter(isFigure)
      .map(({ term }) => term),
  )
  const mayCompare = compares(text) && figures.some(({ value }) => known.has(value))
  if (isRepeated(check)) return 'figure'
  for (const figure of figures) {
    // The 3 of a product called "FL-3".
    if (cited.some(({ titled }) => titled.has(figure.pair))) continue
    if (!known.has(figure.value)) {
      if (mayCompare && asked.has(figure.value)) continue
      return 'figure'
    }
    const fault = faultOf(figure, check)
    if (fault !== null) return fault
  }
  return null
}
