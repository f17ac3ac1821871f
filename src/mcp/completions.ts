// Completes prompt arguments: the caller's own session ids, and short lists where an answer is a matter of taste.
import type { AccountPrincipal } from '../platform/principal.ts'
import type { PromptDeclaration, SessionNames } from './documents.ts'

const valuesMax = 20

const suggestions: Readonly<Record<string, readonly string[]>> = {
  targetAudience: ['customers', 'developers', 'executives', 'new colleagues', 'partners', 'prospects', 'students'],
  ctaGoal: ['book a demo', 'contact sales', 'download the guide', 'join the community', 'start a trial', 'subscribe'],
}

export interface Completion {
  values: readonly string[]
  total: number
  hasMore: boolean
}

/** Completes one argument of one prompt; what cannot be completed gives an empty list. */
export async function complete(
  ref: { type: string; name?: string },
  argument: { name: string; value: string },
  prompts: ReadonlyMap<string, PromptDeclaration>,
  sessions: SessionNames,
  caller: AccountPrincipal | undefined,
): Promise<Completion> {
  const prompt = ref.type === 'ref/prompt' && ref.name !== undefined ? prompts.get(ref.name) : undefined
  if (prompt?.arguments.some(({ name }) => name === argument.name) !== true) return { values: [], total: 0, hasMore: false }
  if (argument.name === 'sessionId') {
    if (caller?.scopes.includes('sessions:read') !== true) return { values: [], total: 0, hasMore: false }
    const { ids, total } = await sessions.find(caller, argument.value, valuesMax)
    return { values: ids, total, hasMore: total > ids.length }
  }
  const wanted = argument.value.trim().toLowerCase()
  const values = (suggestions[argument.name] ?? []).filter((value) => value.includes(wanted)).slice(0, valuesMax)
  return { values, total: values.length, hasMore: false }
}
