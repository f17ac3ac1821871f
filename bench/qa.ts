// Accuracy of the answers: the committed decks always, the prose articles where `--prose FILE` or ROSTRUM_QA_PROSE says they are.
import { runQa, type Figure } from './qa/main.ts'
import type { Report, Row } from './report.ts'

function rowOf({ name, value, unit, goal, isMet, count }: Figure): Row {
  const measured = unit === '%' ? `${value.toFixed(1)} %` : `${value.toFixed(3)}${unit === 'ms' ? ' ms' : ''}`
  return { claim: `${name} (${count})`, measured, owed: unit === '' ? goal : `${goal} ${unit}`, holds: isMet }
}

export async function benchQa(prose: string | undefined = process.env['ROSTRUM_QA_PROSE']): Promise<Report> {
  const { figures, notes } = await runQa(prose === undefined ? {} : { prose })
  return {
    suite: 'Questions and answers',
    rows: figures.map(rowOf),
    figures: Object.fromEntries(figures.map(({ name, value }) => [name, value])),
    skipped: notes,
  }
}
