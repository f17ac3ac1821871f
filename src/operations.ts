// Every public operation, in the order in which documents show them and tools are listed. Nothing else decides what is public.
import type { AnalyticsDeps } from './analytics/get-session-analytics.ts'
import { getSessionAnalytics } from './analytics/get-session-analytics.ts'
import type { Operation } from './kernel/operation.ts'
import { deleteLead } from './leads/delete-lead.ts'
import { exportLeads, listLeads } from './leads/export-leads.ts'
import type { LeadsDeps } from './leads/ports.ts'
import { submitAttendeeLead } from './leads/submit-attendee-lead.ts'
import type { PapDeps } from './pap/ports.ts'
import { queryPresenter } from './pap/query-presenter.ts'
import { createSession } from './sessions/create-session.ts'
import { deleteSession } from './sessions/delete-session.ts'
import { discoverSessions } from './sessions/discover-sessions.ts'
import { duplicateSession } from './sessions/duplicate-session.ts'
import { getSession } from './sessions/get-session.ts'
import { getUsage } from './sessions/get-usage.ts'
import { listSessions } from './sessions/list-sessions.ts'
import type { SessionsDeps } from './sessions/ports.ts'
import { publishSession, unpublishSession } from './sessions/publish-session.ts'
import { createRehearsalLink, deleteRehearsalLink } from './sessions/rehearsal-link.ts'
import { updateSession } from './sessions/update-session.ts'

/** By feature, because that is what gives them their dependencies. */
export const declarations = {
  sessions: [
    createSession,
    listSessions,
    getSession,
    updateSession,
    publishSession,
    unpublishSession,
    duplicateSession,
    deleteSession,
    createRehearsalLink,
    deleteRehearsalLink,
    getUsage,
  ],
  analytics: [getSessionAnalytics],
  leads: [exportLeads, listLeads, deleteLead],
  discovery: [discoverSessions],
  pap: [queryPresenter],
  papLeads: [submitAttendeeLead],
} as const

export interface OperationDeps {
  sessions: SessionsDeps
  analytics: AnalyticsDeps
  leads: LeadsDeps
  pap: PapDeps
}

/** The list that every surface projects from. */
export function operations({ sessions, analytics, leads, pap }: OperationDeps): Operation[] {
  return [
    ...declarations.sessions.map((declared) => declared.bind(sessions)),
    ...declarations.analytics.map((declared) => declared.bind(analytics)),
    ...declarations.leads.map((declared) => declared.bind(leads)),
    ...declarations.discovery.map((declared) => declared.bind(sessions)),
    ...declarations.pap.map((declared) => declared.bind(pap)),
    ...declarations.papLeads.map((declared) => declared.bind(leads)),
  ]
}
