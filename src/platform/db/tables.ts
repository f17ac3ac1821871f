// Row types of every table. Each area owns one file here and one migration of the same name.
import type { AnalyticsTables, LeadTables, PapTables, SessionTables } from './tables/sessions.ts'
import type { AuthTables } from './tables/auth.ts'
import type { DeckTables } from './tables/decks.ts'
import type { EventTables, WebhookTables } from './tables/events.ts'
import type { RunTables } from './tables/runs.ts'

export interface Tables
  extends AuthTables, SessionTables, DeckTables, RunTables, LeadTables, EventTables, AnalyticsTables, PapTables, WebhookTables {}
