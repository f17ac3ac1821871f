// "Report this talk": what anybody who has a room's address tells the operator of it. It goes to the audit log, which the operator reads
// with `rostrum audit list`, and by mail where there is mail; the host is not told.
import type { ReportedTalk } from '../../accounts/mail.ts'
import { z } from 'zod'
import { actorOf, recordAct } from '../../accounts/audit.ts'
import { text } from '@rostrum/contract/fields'
import { open, operation } from '../../platform/operation.ts'
import { cleanText } from '../attendees.ts'
import type { RoomDeps } from '../room/deps.ts'
import { findRoom } from '../room/rooms.ts'

// What is told of a talk: why, and in whose words.
export const reportReasons = ['fraud', 'impersonation', 'harmful', 'rights', 'other'] as const
export const reportWordsMax = 1_000

export const reportTalk = operation({
  name: 'report_talk',
  summary: 'Report a talk to the operator',
  description: 'For anybody who has the address of a room. The operator of the service reads it; the host is not told.',
  access: open,
  limit: 'report',
  errors: ['forbidden', 'temporarily_unavailable'],
  input: z.object({
    key: z.string().min(1).max(100).describe('The slug of the session, or its rehearsal token.'),
    reason: z
      .enum(reportReasons)
      .describe(
        '`fraud`: it wants money, passwords or personal data by deceit. `impersonation`: it poses as somebody else. `harmful`: hatred, violence or abuse. `rights`: it uses what belongs to somebody else.',
      ),
    words: text(reportWordsMax).optional().describe('What the operator should know.'),
  }),
  run: async ({ key, reason, words = '' }, call, deps: RoomDeps) => {
    const { session, kind } = await findRoom(deps, key, call.now)
    const { sessionId, accountId, title, slug } = session
    const told: ReportedTalk = {
      sessionId,
      title,
      roomUrl: kind === 'live' ? `${deps.baseUrl}/join/${slug}` : null,
      reason,
      words: cleanText(words),
      unverified: session.unverified !== undefined,
    }
    await deps.store.write((tx) =>
      recordAct(tx, deps.ids, actorOf(call), {
        action: 'session.reported',
        // Of no account: whoever is reported does not read it.
        accountId: null,
        target: ['session', sessionId],
        data: { reason, words: told.words, title, account: accountId, unverified: told.unverified },
      }),
    )
    await deps.tellOperator?.(told)
    return { reported: true as const }
  },
  http: { method: 'POST', path: '/api/v1/rooms/{key}/reports', output: z.object({ reported: z.literal(true) }) },
})
