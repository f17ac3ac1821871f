// Row types of every table. Each area owns one file here and one migration of the same name.
import type { AnalyticsTables } from './tables/analytics.ts'
import type { AuthTables } from './tables/auth.ts'
import type { DeckTables } from './tables/decks.ts'
import type { EventTables } from './tables/events.ts'
import type { LeadTables } from './tables/leads.ts'
import type { PapTables } from './tables/pap.ts'
import type { RunTables } from './tables/runs.ts'
import type { SessionTables } from './tables/sessions.ts'
import type { WebhookTables } from './tables/webhooks.ts'

export interface Tables
  extends AuthTables, SessionTables, DeckTables, RunTables, LeadTables, EventTables, AnalyticsTables, PapTables, WebhookTables {}
