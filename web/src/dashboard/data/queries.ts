// Every read of the dashboard by name, so that a screen, the palette and a prefetch ask for the same thing under the same key.
import type { OutputOf } from '../../../../client/operations.ts'
import type { Transcript, TranscriptMatch } from '../replay/transcript-wire.ts'
import { call, get, tagged } from './api.ts'
import { cache, type Query } from './use-query.ts'
import type { Visit } from '../audience/people.ts'
import type { Account, Analytics, ApiKey, AskedQuestion, Attendee, Deck, Lead, MailChoices, Passage, RecordingList, RegistrationList, Rehearsal, Run, ScriptAnswer, ScriptVersion, SessionChange, SessionDetail, SessionRecord, Translations, Tried, Usage } from './wire.ts'

export const sessionsPath = '/api/v1/agent/sessions'
export const sessionPath = (id: string, rest = ''): string => `${sessionsPath}/${encodeURIComponent(id)}${rest}`

/** A page of one of the lists, and where the next page begins. */
interface Page {
  sessions?: SessionRecord[]
  questions?: AskedQuestion[]
  leads?: Lead[]
  attendees?: Attendee[]
  nextCursor?: string | null
}

/** The newest rows of a list. */
export interface Listing<Row> {
  rows: Row[]
  /** False where older ones are left out. */
  isWhole: boolean
}

const pagesAtOnce = 10
/** How many pages of a list are read, where somebody asked for more than the first. */
const pagesWanted = new Map<string, number>()
const pagesOf = (path: string): number => pagesWanted.get(path) ?? pagesAtOnce

/** Reads a list by its cursor, ten pages of 100 or as many as were asked for. */
async function all<Row>(path: string, rowsOf: (page: Page) => Row[] | undefined, signal: AbortSignal, limit = 100): Promise<Listing<Row>> {
  const rows: Row[] = []
  let cursor: string | null | undefined
  for (let page = 0; page < pagesOf(path); page++) {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor ? { cursor } : {}) })
    const answer = await get<Page>(`${path}?${query.toString()}`, signal)
    rows.push(...(rowsOf(answer) ?? []))
    cursor = answer.nextCursor
    if (!cursor) break
  }
  return { rows, isWhole: !cursor }
}

/** Reads ten pages more of the list at `path`, now and whenever it is read again. */
export async function readOlder(path: string, { queryKey }: Pick<Query<unknown>, 'queryKey'>): Promise<void> {
  pagesWanted.set(path, pagesOf(path) + pagesAtOnce)
  await cache.invalidateQueries({ queryKey, exact: true })
}

export const accountQuery: Query<Account> = {
  queryKey: ['account'],
  queryFn: ({ signal }) => get('/api/v1/account', signal),
  staleTime: 10 * 60_000,
}

export const sessionsQuery: Query<Listing<SessionRecord>> = {
  queryKey: ['sessions'],
  queryFn: ({ signal }) => all(sessionsPath, (page) => page.sessions, signal),
}

export const sessionQuery = (id: string): Query<SessionDetail> => ({
  queryKey: ['session', id],
  queryFn: ({ signal }) => get(sessionPath(id), signal),
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

export const deckQuery = (id: string): Query<Deck> => ({
  queryKey: ['session', id, 'deck'],
  queryFn: async ({ signal }) => {
    const deck = await get<Deck>(sessionPath(id, '/deck'), signal)
    // Its title and language may be the talk's now.
    if (deck.state === 'ready' && isBusy(cache.getQueryData<Deck>(['session', id, 'deck']))) void refreshSession(id)
    return withoutLeaving(deck)
  },
  refetchInterval: ({ state }) => (isBusy(state.data) ? 1_000 : false),
})

export const scriptQuery = (id: string): Query<ScriptAnswer> => ({
  queryKey: ['session', id, 'script'],
  queryFn: ({ signal }) => tagged('GET', sessionPath(id, '/script'), { signal }),
})

export const voicesQuery = (id: string): Query<OutputOf<'list_voices'>> => ({
  queryKey: ['session', id, 'voices'],
  queryFn: ({ signal }) => get(sessionPath(id, '/voices'), signal),
})

export const versionsQuery = (id: string): Query<ScriptVersion[]> => ({
  queryKey: ['session', id, 'script-versions'],
  queryFn: async ({ signal }) => (await get<{ versions: ScriptVersion[] }>(sessionPath(id, '/script/versions'), signal)).versions,
})

export const translationsQuery = (id: string, language: string): Query<Translations> => ({
  queryKey: ['session', id, 'translations', language],
  queryFn: ({ signal }) => get(sessionPath(id, `/translations?language=${encodeURIComponent(language)}`), signal),
})

export const knowledgeQuery = (id: string): Query<Passage[]> => ({
  queryKey: ['session', id, 'knowledge'],
  queryFn: async ({ signal }) => (await get<{ passages: Passage[] }>(sessionPath(id, '/knowledge'), signal)).passages,
})

export const questionsPath = (id: string): string => sessionPath(id, '/questions')

export const questionsQuery = (id: string): Query<Listing<AskedQuestion>> => ({
  queryKey: ['session', id, 'questions'],
  queryFn: ({ signal }) => all(questionsPath(id), (page) => page.questions, signal),
})

export const runsQuery = (id: string, kind: 'live' | 'rehearsal' = 'live'): Query<Run[]> => ({
  queryKey: ['session', id, 'runs', kind],
  queryFn: async ({ signal }) =>
    (await get<{ runs: Run[] }>(sessionPath(id, `/runs?limit=50${kind === 'rehearsal' ? '&kind=rehearsal' : ''}`), signal)).runs,
  refetchInterval: 15_000,
})

export const rehearsalQuery = (id: string, rehearsalId: string): Query<Rehearsal> => ({
  queryKey: ['session', id, 'rehearsal', rehearsalId],
  queryFn: ({ signal }) => get(sessionPath(id, `/rehearsals/${encodeURIComponent(rehearsalId)}`), signal),
  refetchInterval: ({ state }) => (state.data === undefined || state.data.status === 'running' ? 1_500 : false),
})

export const transcriptQuery = (id: string, runId: string): Query<Transcript> => ({
  queryKey: ['session', id, 'transcript', runId],
  queryFn: ({ signal }) => get(sessionPath(id, `/runs/${encodeURIComponent(runId)}/transcript`), signal),
})

/** Lines that hold `words`, over the live runs: pages are read until there are `wanted` of them or no more. */
export const transcriptSearchQuery = (
  id: string,
  words: string,
  wanted: number,
): Query<{ matches: TranscriptMatch[]; isWhole: boolean }> => ({
  queryKey: ['session', id, 'transcripts', words, wanted],
  queryFn: async ({ signal }) => {
    const matches: TranscriptMatch[] = []
    let cursor: string | undefined
    do {
      const query = new URLSearchParams({ q: words, limit: String(Math.min(100, wanted - matches.length)), ...(cursor && { cursor }) })
      const page = await get<{ matches: TranscriptMatch[]; nextCursor?: string }>(
        sessionPath(id, `/transcripts?${query.toString()}`),
        signal,
      )
      matches.push(...page.matches)
      cursor = page.nextCursor
    } while (cursor !== undefined && matches.length < wanted)
    return { matches, isWhole: cursor === undefined }
  },
})

/** Of the last `days`; of all time without them. */
export const analyticsQuery = (id: string, days?: number): Query<Analytics> => ({
  queryKey: ['session', id, 'analytics', days ?? 'all'],
  queryFn: ({ signal }) => get(sessionPath(id, `/analytics${days === undefined ? '' : `?days=${days}`}`), signal),
})

/** Leads of one session, or of all sessions of the account. */
export const leadsPath = (id?: string): string => (id === undefined ? '/api/v1/agent/leads' : sessionPath(id, '/leads'))

export const leadsQuery = (id?: string): Query<Listing<Lead>> => ({
  queryKey: id === undefined ? ['leads'] : ['session', id, 'leads'],
  queryFn: ({ signal }) => all(leadsPath(id), (page) => page.leads, signal, 1_000),
})

/** Five questions that are made from the slides, answered as they would be, and whether the offer's link opens. */
export const tryQuery = (id: string): Query<Tried> => ({
  queryKey: ['session', id, 'try'],
  queryFn: ({ signal }) => call('POST', sessionPath(id, '/try'), { body: {}, signal }),
  staleTime: 60_000,
})

/** Looked at again: people register while the host looks. */
export const registrationsQuery = (id: string): Query<RegistrationList> => ({
  queryKey: ['session', id, 'registrations'],
  queryFn: ({ signal }) => get(sessionPath(id, '/registrations'), signal),
  refetchInterval: 15_000,
})

export const mailChoicesQuery: Query<MailChoices> = {
  queryKey: ['mails'],
  queryFn: ({ signal }) => get('/api/v1/account/mails', signal),
}

/** Looked at again while one is being made. */
export const recordingsQuery = (id: string): Query<RecordingList> => ({
  queryKey: ['session', id, 'recordings'],
  queryFn: ({ signal }) => get(sessionPath(id, '/recordings'), signal),
  // A film that a browser makes tells nothing of it meanwhile.
  refetchInterval: ({ state: { data: list } }) =>
    list?.recordings.some(({ state, format }) => state === 'waiting' || (state === 'making' && format !== 'webm')) === true ? 2_000 : false,
})

/** Who came to the talks of a session. */
export const visitsQuery = (id: string): Query<Listing<Visit>> => ({
  queryKey: ['session', id, 'visits'],
  queryFn: async ({ signal }) => {
    const { rows, isWhole } = await all(sessionPath(id, '/attendees'), (page) => page.attendees, signal, 200)
    return { rows: rows.map((row) => ({ ...row, sessionId: id })), isWhole }
  },
})

/** Those of the newest of these sessions. */
export const allVisitsQuery = (sessionIds: readonly string[]): Query<Visit[]> => ({
  queryKey: ['visits', ...sessionIds],
  queryFn: async () => {
    const found: Visit[] = []
    for (const id of sessionIds.slice(0, 40)) found.push(...(await cache.fetchQuery(visitsQuery(id))).rows)
    return found
  },
})

export const keysQuery: Query<ApiKey[]> = {
  queryKey: ['keys'],
  queryFn: async ({ signal }) => (await get<{ keys: ApiKey[] }>('/api/v1/account/keys', signal)).keys,
}

export const usageQuery: Query<Usage> = {
  queryKey: ['usage'],
  queryFn: ({ signal }) => get('/api/v1/agent/usage', signal),
}

/** Changes a session and shows the answer everywhere at once. */
export async function changeSession(id: string, change: SessionChange): Promise<void> {
  await call('PATCH', sessionPath(id), { body: change })
  await refreshSession(id)
}

/** After any change of a session: the session itself and the list. */
export async function refreshSession(id: string): Promise<void> {
  await Promise.all([
    cache.invalidateQueries({ queryKey: ['session', id], exact: true }),
    cache.invalidateQueries({ queryKey: ['sessions'] }),
  ])
}

/** A run that people are in, that waits for its start, or that its presenter may still be brought back to. */
export const isRunning = ({ status, endedAt }: Run): boolean => status !== 'completed' && !(status === 'failed' && endedAt !== null)
