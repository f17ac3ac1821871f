// The answer to a question that names no session: what the service is, and the public sessions that fit the words best.
import { isVouched } from '../sessions/vouched.ts'
import type { PapDeps } from './ports.ts'
import type { PapReply } from './reply.ts'

const candidatesMax = 200
const shownMax = 3

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]{3,}/gu) ?? []

export async function withoutSession(message: string, { store, baseUrl }: PapDeps): Promise<PapReply> {
  const sessions = await store.read
    .selectFrom('sessions')
    .select(['id', 'title', 'description'])
    .where('status', '=', 'published')
    .where('discoverable', '=', 1)
    .where(isVouched)
    .orderBy('active_at', 'desc')
    .orderBy('id', 'desc')
    .limit(candidatesMax)
    .execute()
  const asked = new Set(wordsOf(message))
  const best = sessions
    .map((session) => {
      const own = new Set(wordsOf(`${session.title} ${session.description ?? ''}`))
      return { session, shared: [...asked].filter((word) => own.has(word)).length }
    })
    .toSorted((a, b) => b.shared - a.shared)
    .slice(0, shownMax)
    .map(({ session }) => session)
  const reply =
    best.length === 0
      ? 'This is Rostrum. Automated presenters give talks here and answer questions about them. No talk is listed publicly at the moment.'
      : `This is Rostrum. Automated presenters give talks here and answer questions about them. Say which talk you mean: ${best
          .map(({ title }) => `"${title}"`)
          .join(', ')}.`
  if (best.length === 0) {
    const link = { type: 'open_link' as const, url: baseUrl, title: 'Open the service', reason: 'What it is and how to start.' }
    return { reply, suggestedActions: [link] }
  }
  return {
    reply,
    suggestedActions: best.map(({ id }) => ({
      type: 'tool_call' as const,
      toolName: 'pap_query_presenter' as const,
      arguments: { message, sessionId: id },
      reason: 'Ask the presenter of this session.',
    })),
  }
}
