// A ledger of the rules of reading, telling and ranking: each switched off, and how many things that are right with it are wrong without, on
// the committed decks and on folders of real ones. `--decks FOLDER`, once or more: the last is best one that nobody made a rule from.
import { putSwitches, without } from './rules/switches.ts'
import { rules } from './rules/table.ts'
import { inWords, isIdle, total, worthOf, type Worth } from './rules/ledger.ts'
import type { Files } from './rules/sets.ts'
import type { Report } from './report.ts'

export interface RuleOptions {
  folders: readonly Files[]
  /** Rules whose name, file or binding holds it. */
  only?: string | undefined
  prose?: string | undefined
}

export async function benchRules({ folders, only = '', prose }: RuleOptions): Promise<Report> {
  putSwitches(rules)
  const { articles, committed, folder } = await import('./rules/sets.ts')
  const sets = [committed(), ...(prose === undefined ? [] : [articles(prose)]), ...folders.map(folder)]
  const wanted = rules.filter(({ name, file, binding, layer }) => [name, file, binding, layer].some((text) => text.includes(only)))
  const whole = await Promise.all(sets.map(({ count }) => count()))
  const found: { rule: (typeof rules)[number]; worths: readonly Worth[] }[] = []
  for (const rule of wanted) {
    const worths: Worth[] = []
    for (const [at, set] of sets.entries()) {
      const off = await without(rule.name, () => set.count(rule))
      worths.push(worthOf(whole[at] ?? new Map(), off))
    }
    found.push({ rule, worths })
    if (process.env['ROSTRUM_RULES_PROGRESS'] !== undefined) console.error(rule.binding, worths.map(inWords).join(' | '))
  }
  const sorted = found.toSorted((one, other) => total(other.worths) - total(one.worths))
  const idle = sorted.filter(({ worths }) => isIdle(worths))
  return {
    suite: 'Rules: points lost where one is switched off',
    rows: sorted.map(({ rule: { name, layer, binding, owed }, worths }) => ({
      claim: `${layer}: ${name} (${binding})`,
      measured: worths.map((worth) => inWords(worth).padStart(12)).join(' '),
      owed: owed ?? 'a point on one set',
      holds: owed !== undefined || !isIdle(worths),
    })),
    figures: {
      rules: sorted.length,
      idle: idle.length,
      ...Object.fromEntries(
        sorted.flatMap(({ rule, worths }) => worths.map((worth, at) => [`${rule.name}, ${sets[at]?.name}`, total([worth])])),
      ),
    },
    notes: sets.map(({ name }, at) => {
      const points = [...(whole[at]?.values() ?? [])]
      return `${name}: ${points.filter(Boolean).length} of ${points.length} right with all rules on`
    }),
  }
}
