// Every read of the dashboard by name, so that a screen, the palette and a prefetch ask for the same thing under the same key.
import type { OutputOf } from '../../../../client/operations.ts'
import type { Transcript, TranscriptMatch } from '../replay/transcript-wire.ts'
import { call, tagged } from './api.ts'
import type { QueryKey } from '@tanstack/query-core'
import { cache, type Query } from './use-query.ts'
import type { Visit } from '../audience/people.ts'
import type {
  Account,
  Analytics,
  ApiKey,
  AskedQuestion,
  Deck,
  Lead,
  MailChoices,
  Passage,
  RecordingList,
  RegistrationList,
  Rehearsal,
  Run,
  ScriptAnswer,
  ScriptVersion,
  SessionChange,
  SessionDetail,
  SessionRecord,
  Translations,
  Tried,
  Usage,
} from './wire.ts'

/** The newest rows of a list. */
export interface Listing<Row> {
  rows: Row[]
  /** False where older ones are left out. */
  isWhole: boolean
}

const pagesAtOnce = 10
/** How many pages of a list are read, where somebody asked for more than the first. */
const pagesWanted = new Map<string, number>()
const pagesOf = (key: QueryKey): number => pagesWanted.get(key.join('/')) ?? pagesAtOnce

/** Reads a list by its cursor, ten pages of 100 or as many as were asked for. */
async function all<Page extends { nextCursor?: string | undefined }, Row>(
  { queryKey }: { queryKey: QueryKey },
  read: (page: { limit: number; cursor?: string }) => Promise<Page>,
  rowsOf: (page: Page) => Row[],
  limit = 100,
): Promise<Listing<Row>> {
  const rows: Row[] = []
  let cursor: string | undefined
  for (let page = 0; page < pagesOf(queryKey); page++) {
    const answer = await read({ limit, ...(cursor !== undefined && { cursor }) })
    rows.push(...rowsOf(answer))
    cursor = answer.nextCursor
    if (cursor === undefined) break
  }
  return { rows, isWhole: cursor === undefined }
}

/** Reads ten pages more of a list, now and whenever it is read again. */
export async function readOlder({ queryKey }: Pick<Query<unknown>, 'queryKey'>): Promise<void> {
  pagesWanted.set(queryKey.join('/'), pagesOf(queryKey) + pagesAtOnce)
  await cache.invalidateQueries({ queryKey, exact: true })
}

export const accountQuery: Query<Account> = {
  queryKey: ['account'],
  queryFn: ({ signal }) => call('get_account', {}, { signal }),
  staleTime: 10 * 60_000,
}

export const sessionsQuery: Query<Listing<SessionRecord>> = {
  queryKey: ['sessions'],
  queryFn: (context) =>
    all(
      context,
      (page) => call('list_sessions', page, context),
      ({ sessions }) => sessions,
    ),
}

export const sessionQuery = (sessionId: string): Query<SessionDetail> => ({
  queryKey: ['session', sessionId],
  queryFn: ({ signal }) => call('get_session', { sessionId }, { signal }),
})

/** Pages are being read, or pictures fetched. */
const isBusy = (deck: Deck | undefined) =>
  deck !== undefined &&
  (deck.state === 'pending' || deck.state === 'processing' || deck.slides.some(({ imageState }) => imageState === 'pending'))

/** Slides that are deleted on the screen, and on the server in a moment, unless the host takes it back. */
export const leavingSlides = new Set<string>()

/** The deck as the screen has it: without the slides that leave, the others and their warnings counted anew. */
export function withoutLeaving(deck: Deck): Deck {
  const kept = deck.slides.filter(({ id }) => !leavingSlides.has(id))
  if (kept.length === deck.slides.length) return deck
  return {
    ...deck,
    slides: kept.map((slide, index) => ({ ...slide, index })),
    warnings: deck.warnings.flatMap((warning) => {
      if (warning.slideIndex === undefined) return [warning]
      const index = kept.findIndex((slide) => slide.index === warning.index)
      return index === -1 ? [] : [{ ...warning, index, slideIndex: index }]
    }),
  }
}

export const deckQuery = (sessionId: string): Query<Deck> => ({
  queryKey: ['session', sessionId, 'deck'],
  queryFn: async ({ signal }) => {
    const deck = await call('get_deck', { sessionId }, { signal })
    // Its title and language may be the talk's now.
    if (deck.state === 'ready' && isBusy(cache.getQueryData<Deck>(['session', sessionId, 'deck']))) void refreshSession(sessionId)
    return withoutLeaving(deck)
  },
  refetchInterval: ({ state }) => (isBusy(state.data) ? 1_000 : false),
})

export const scriptQuery = (sessionId: string): Query<ScriptAnswer> => ({
  queryKey: ['session', sessionId, 'script'],
  queryFn: ({ signal }) => tagged('get_script', { sessionId }, { signal }),
})

export const voicesQuery = (sessionId: string): Query<OutputOf<'list_voices'>> => ({
  queryKey: ['session', sessionId, 'voices'],
  queryFn: ({ signal }) => call('list_voices', { sessionId }, { signal }),
})

export const versionsQuery = (sessionId: string): Query<ScriptVersion[]> => ({
  queryKey: ['session', sessionId, 'script-versions'],
  queryFn: async ({ signal }) => (await call('list_script_versions', { sessionId }, { signal })).versions,
})

export const translationsQuery = (sessionId: string, language: string): Query<Translations> => ({
  queryKey: ['session', sessionId, 'translations', language],
  queryFn: ({ signal }) => call('list_translations', { sessionId, language }, { signal }),
})

export const knowledgeQuery = (sessionId: string): Query<Passage[]> => ({
  queryKey: ['session', sessionId, 'knowledge'],
  queryFn: async ({ signal }) => (await call('get_knowledge', { sessionId }, { signal })).passages,
})

export const questionsQuery = (sessionId: string): Query<Listing<AskedQuestion>> => ({
  queryKey: ['session', sessionId, 'questions'],
  queryFn: (context) =>
    all(
      context,
      (page) => call('list_questions', { sessionId, ...page }, context),
      ({ questions }) => questions,
    ),
})

export const runsQuery = (sessionId: string, kind: 'live' | 'rehearsal' = 'live'): Query<Run[]> => ({
  queryKey: ['session', sessionId, 'runs', kind],
  queryFn: async ({ signal }) => (await call('list_runs', { sessionId, kind, limit: 50 }, { signal })).runs,
  refetchInterval: 15_000,
})

export const rehearsalQuery = (sessionId: string, rehearsalId: string): Query<Rehearsal> => ({
  queryKey: ['session', sessionId, 'rehearsal', rehearsalId],
  queryFn: ({ signal }) => call('get_rehearsal', { sessionId, rehearsalId }, { signal }),
  refetchInterval: ({ state }) => (state.data === undefined || state.data.status === 'running' ? 1_500 : false),
})

export const transcriptQuery = (sessionId: string, runId: string): Query<Transcript> => ({
  queryKey: ['session', sessionId, 'transcript', runId],
  queryFn: ({ signal }) => call('get_transcript', { sessionId, runId }, { signal }),
})

/** Lines that hold `words`, over the live runs: pages are read until there are `wanted` of them or no more. */
export const transcriptSearchQuery = (
  sessionId: string,
  words: string,
  wanted: number,
): Query<{ matches: TranscriptMatch[]; isWhole: boolean }> => ({
  queryKey: ['session', sessionId, 'transcripts', words, wanted],
  queryFn: async ({ signal }) => {
    const matches: TranscriptMatch[] = []
    let cursor: string | undefined
    do {
      const limit = Math.min(100, wanted - matches.length)
      const page = await call('search_transcripts', { sessionId, q: words, limit, ...(cursor !== undefined && { cursor }) }, { signal })
      matches.push(...page.matches)
      cursor = page.nextCursor
    } while (cursor !== undefined && matches.length < wanted)
    return { matches, isWhole: cursor === undefined }
  },
})

/** Of the last `days`; of all time without them. */
export const analyticsQuery = (sessionId: string, days?: number): Query<Analytics> => ({
  queryKey: ['session', sessionId, 'analytics', days ?? 'all'],
  queryFn: ({ signal }) => call('get_session_analytics', { sessionId, ...(days && { days }) }, { signal }),
})

/** Leads of one session, or of all sessions of the account. */
export const leadsQuery = (sessionId?: string): Query<Listing<Lead>> => ({
  queryKey: sessionId === undefined ? ['leads'] : ['session', sessionId, 'leads'],
  queryFn: (context) =>
    all(
      context,
      (page) => (sessionId === undefined ? call('list_leads', page, context) : call('export_leads', { sessionId, ...page }, context)),
      ({ leads }) => leads,
      1_000,
    ),
})

/** Five questions that are made from the slides, answered as they would be, and whether the offer's link opens. */
export const tryQuery = (sessionId: string): Query<Tried> => ({
  queryKey: ['session', sessionId, 'try'],
  queryFn: ({ signal }) => call('try_session', { sessionId }, { signal }),
  staleTime: 60_000,
})

/** Looked at again: people register while the host looks. */
export const registrationsQuery = (sessionId: string): Query<RegistrationList> => ({
  queryKey: ['session', sessionId, 'registrations'],
  queryFn: ({ signal }) => call('list_registrations', { sessionId }, { signal }),
  refetchInterval: 15_000,
})

export const mailChoicesQuery: Query<MailChoices> = {
  queryKey: ['mails'],
  queryFn: ({ signal }) => call('get_mail_choices', {}, { signal }),
}

/** Looked at again while one is being made. */
export const recordingsQuery = (sessionId: string): Query<RecordingList> => ({
  queryKey: ['session', sessionId, 'recordings'],
  queryFn: ({ signal }) => call('list_recordings', { sessionId }, { signal }),
  // A film that a browser makes tells nothing of it meanwhile.
  refetchInterval: ({ state: { data: list } }) =>
    list?.recordings.some(({ state, format }) => state === 'waiting' || (state === 'making' && format !== 'webm')) === true ? 2_000 : false,
})

/** Who came to the talks of a session. */
export const visitsQuery = (sessionId: string): Query<Listing<Visit>> => ({
  queryKey: ['session', sessionId, 'visits'],
  queryFn: (context) =>
    all(
      context,
      (page) => call('list_attendees', { sessionId, ...page }, context),
      ({ attendees }) => attendees.map((row) => ({ ...row, sessionId })),
      200,
    ),
})

/** Of the newest of these sessions, what `queryOf` lists of each. */
const ofAll = <Row>(name: string, sessionIds: readonly string[], queryOf: (id: string) => Query<Listing<Row>>) => ({
  queryKey: [name, ...sessionIds],
  queryFn: async () => {
    const found: (Row & { sessionId: string })[] = []
    for (const id of sessionIds.slice(0, 40))
      found.push(...(await cache.fetchQuery(queryOf(id))).rows.map((row) => ({ ...row, sessionId: id })))
    return found
  },
})

export const allVisitsQuery = (sessionIds: readonly string[]): Query<Visit[]> => ofAll('visits', sessionIds, visitsQuery)
export const allQuestionsQuery = (sessionIds: readonly string[]): Query<(AskedQuestion & { sessionId: string })[]> =>
  ofAll('questions', sessionIds, questionsQuery)

export const keysQuery: Query<ApiKey[]> = {
  queryKey: ['keys'],
  queryFn: async ({ signal }) => (await call('list_keys', {}, { signal })).keys,
}

export const usageQuery: Query<Usage> = {
  queryKey: ['usage'],
  queryFn: ({ signal }) => call('get_usage', {}, { signal }),
}

/** Changes a session and shows the answer everywhere at once. */
export async function changeSession(sessionId: string, change: SessionChange): Promise<void> {
  await call('update_session', { sessionId, ...change })
  await refreshSession(sessionId)
}

/** After any change of a session: the session itself and the list. */
export async function refreshSession(sessionId: string): Promise<void> {
  await Promise.all([
    cache.invalidateQueries({ queryKey: ['session', sessionId], exact: true }),
    cache.invalidateQueries({ queryKey: ['sessions'] }),
  ])
}

/** A run that people are in, that waits for its start, or that its presenter may still be brought back to. */
export const isRunning = ({ status, endedAt }: Run): boolean => status !== 'completed' && !(status === 'failed' && endedAt !== null)
