// How a session went: attendance, engagement, questions, clicks and leads, equal to a count over its log (spec 2.5).
import { z } from 'zod'
import { uuid } from '../contract/fields.ts'
import { ServiceError } from '../platform/errors.ts'
import { operation, reads, scoped } from '../platform/operation.ts'
import { stepByStep } from '../platform/step-by-step.ts'
import type { Store } from '../platform/db/store.ts'
import { joinAlike } from './figures.ts'
import { sessionFigures } from './session-figures.ts'

export interface AnalyticsDeps {
  store: Store
  /** Whether two questions ask the same, by their words or by the content of the session. */
  sameQuestion(sessionId: string): Promise<(a: string, b: string) => boolean>
}

const output = z.object({
  sessionId: z.string(),
  totalAttendees: z.number(),
  averageEngagementSec: z.number(),
  questionsCount: z.number(),
  ctaClicks: z.number(),
  leads: z.number(),
  slides: z
    .array(z.object({ index: z.number(), views: z.number(), avgSeconds: z.number(), leftHere: z.number(), questions: z.number() }))
    .optional(),
  funnel: z
    .object({ opened: z.number(), started: z.number(), half: z.number(), completed: z.number(), cta: z.number(), lead: z.number() })
    .optional(),
  attendance: z.array(z.object({ at: z.string(), count: z.number() })).optional(),
  unanswered: z.array(z.object({ text: z.string(), count: z.number(), outcome: z.string(), slideIndex: z.number().optional() })).optional(),
})

export const getSessionAnalytics = operation({
  name: 'get_session_analytics',
  area: 'analytics',
  summary: 'Show the analytics of a session',
  description: 'Live runs, and what personal agents asked; rehearsals count nowhere. Times are seconds; slides count from 0.',
  access: scoped('analytics:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input: z.object({ sessionId: uuid.describe('Id of the session.') }),
  run: async ({ sessionId }, call, { store, sameQuestion }: AnalyticsDeps) => {
    const session = await store.read
      .selectFrom('sessions')
      .select(['id', 'slides_count'])
      .where('id', '=', sessionId)
      .where('account_id', '=', call.principal.accountId)
      .executeTakeFirst()
    if (session === undefined) throw new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
    const figures = await sessionFigures(store, session.id, session.slides_count, call.now)
    const asked = figures.unanswered
    const unanswered = asked.length < 2 ? asked : await stepByStep(joinAlike(asked, await sameQuestion(session.id)))
    return { sessionId: session.id, ...figures, unanswered }
  },
  http: { method: 'GET', path: '/api/v1/agent/sessions/{sessionId}/analytics', output, view: (figures) => figures },
  tool: {
    title: 'Presentation analytics',
    description:
      'Shows how one of your Rostrum presentations went: attendees, average engagement, questions, call-to-action clicks, attention per slide and what the deck could not answer. Use this when a talk has been held. Rehearsals count nowhere. Next: export_leads, or add what was unanswered to the knowledge.',
    output: output.partial().required({ sessionId: true }),
    view: (figures) => figures,
    ui: 'analytics',
  },
})
