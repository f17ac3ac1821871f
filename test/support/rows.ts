// Whole rows for storage tests; a test names only what it is about.
import { newColumns } from '@rostrum/contract/session'
import type { RunRow } from '../../server/runs/tables.ts'
import type { SessionRow } from '../../server/sessions/tables.ts'

export function sessionRow(change: Partial<SessionRow> = {}): SessionRow {
  return {
    id: '5e551000-0000-4000-8000-000000000001',
    account_id: 'acct-1',
    slug: 'quiet-pumps-abcdef',
    ...newColumns({ title: 'Quiet pumps' }),
    status: 'published',
    language_from: 'host',
    portrait_key: null,
    consent_version: 1,
    rehearsal_token: null,
    deck_id: null,
    slides_count: 0,
    created_by_kind: 'user',
    created_by_id: 'user-1',
    event_seq: 0,
    created_at: 1_000,
    updated_at: 1_000,
    published_at: 1_000,
    active_at: 1_000,
    ...change,
  }
}

export function runRow(change: Partial<RunRow> = {}): RunRow {
  return {
    id: 'run-1',
    account_id: 'acct-1',
    session_id: '5e551000-0000-4000-8000-000000000001',
    kind: 'live',
    mode: 'isolated',
    status: 'lobby',
    language: 'en',
    deck_id: null,
    created_at: 1_000,
    started_at: null,
    ended_at: null,
    end_reason: null,
    address_mark: null,
    last_seq: 0,
    lease_owner: null,
    epoch: 0,
    lease_until: 0,
    ...change,
  }
}
