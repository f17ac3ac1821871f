// Where the time of a round goes: a CPU profile of it, each sample given to the innermost part of the dispatcher on its stack.
import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'

/** By file name; the first that is on the stack, seen from the leaf, has the sample. */
const parts: readonly (readonly [string, string])[] = [
  ['/webhooks/subscription.ts', 'sign'],
  ['/egress/exchange.ts', 'send'],
  ['/undici/', 'send'],
  ['/egress/', 'guard'],
  ['/db/sqlite-connections.ts', 'statements'],
  ['/db/sqlite.ts', 'commit'],
  ['/webhooks/', 'dispatch'],
]

/** Whose a statement is: it runs while its caller waits on the stack. */
const callers: readonly (readonly [string, string])[] = [['/webhooks/queue.ts', 'the queue']]

function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): string {
  const parentOf = new Map<number, number>()
  for (const node of nodes) for (const child of node.children ?? []) parentOf.set(child, node.id)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const firstOf = (leaf: number, names: typeof parts): string | undefined => {
    for (let id: number | undefined = leaf; id !== undefined; id = parentOf.get(id)) {
      const url = byId.get(id)?.callFrame.url ?? ''
      const found = names.find(([file]) => url.includes(file))
      if (found !== undefined) return found[1]
    }
    return undefined
  }
  const partOf = (leaf: number): string => {
    if (byId.get(leaf)?.callFrame.functionName === '(idle)') return 'idle'
    const part = firstOf(leaf, parts) ?? 'runtime'
    return part === 'statements' ? `statements of ${firstOf(leaf, callers) ?? 'others'}` : part
  }
  const known = new Map<number, string>()
  const times = new Map<string, number>()
  let total = 0
  for (const [at, id] of samples.entries()) {
    const part = known.get(id) ?? partOf(id)
    known.set(id, part)
    if (part === 'idle') continue
    const spent = timeDeltas[at] ?? 0
    total += spent
    times.set(part, (times.get(part) ?? 0) + spent)
  }
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .map(([part, spent]) => `${part} ${Math.round((100 * spent) / total)} %`)
    .join(', ')
}

/** Runs a round of its own; the profile costs, so its time counts for nothing else. */
export async function profileShares(round: (around: (work: () => Promise<void>) => Promise<void>) => Promise<unknown>): Promise<string> {
  const session = new Session()
  session.connect()
  let shares = ''
  await round(async (work) => {
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 200 })
    await session.post('Profiler.start')
    await work()
    shares = sharesOf((await session.post('Profiler.stop')).profile)
  })
  session.disconnect()
  return shares
}
