// Changes settings of a session. A member left out stays as it is; null clears one that may be absent.
import type { Updateable } from 'kysely'
import { z } from 'zod'
import { iso } from '../platform/iso.ts'
import { changes, operation, scoped } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { Tx } from '../platform/db/store.ts'
import type { SessionRow } from '../platform/db/tables/sessions.ts'
import { checkSettings } from './create-session.ts'
import * as fields from './fields.ts'
import { settingsView, show } from './get-session.ts'
import type { SessionsDeps } from './ports.ts'
import { moved } from './publish-session.ts'
import type { Session } from './session.ts'
import { ownSession } from './session.ts'
import { sessionSettings } from './session-view.ts'

const { settings } = fields

const input = z.object({
  sessionId: fields.sessionId,
  title: fields.title.optional(),
  mode: fields.mode.optional(),
  status: z.enum(['draft', 'published']).optional().describe('Publishes or unpublishes.'),
  isLive: z.boolean().optional().describe('The same: true is `published`.'),
  description: settings.description.nullish(),
  ctaText: settings.ctaText.nullish(),
  ctaUrl: settings.ctaUrl.nullish(),
  voice: settings.voice.nullish(),
  pronunciations: settings.pronunciations.nullish().describe('Replaces the list.'),
  presenterName: settings.presenterName.nullish(),
  consentText: settings.consentText.nullish(),
  startsAt: settings.startsAt.nullish(),
  embedOrigins: settings.embedOrigins.nullish(),
  targetSeconds: settings.targetSeconds.nullish(),
  minutesMax: settings.minutesMax.nullish().describe('Null: no limit.'),
  tags: settings.tags.optional(),
  language: settings.language.nullish().describe('Null: that of the deck.'),
  discoverable: settings.discoverable.optional(),
  ctaKind: settings.ctaKind.optional(),
  startPolicy: settings.startPolicy.optional(),
  ctaRules: settings.ctaRules.optional(),
  moderation: settings.moderation.optional(),
})

type Change = z.output<typeof input>

type SpokenIn = Partial<Pick<Session, 'language' | 'language_from'>>

/** Whose word on the language holds from now on; null leaves it to the deck. */
async function languageAfter({ language }: Change, row: Session, tx: Tx, { content }: SessionsDeps): Promise<SpokenIn> {
  if (language === undefined) return {}
  if (language !== null) return { language, language_from: 'host' }
  const read = row.deck_id === null ? undefined : await content.languageOf(tx, row.deck_id)
  return read === undefined ? { language_from: 'default' } : { language: read, language_from: 'deck' }
}

/** Only the columns that the change names. */
function columnsOf(change: Change, row: Session, language: SpokenIn): Updateable<SessionRow> {
  const columns: Record<string, string | number | null | undefined> = {
    title: change.title,
    mode: change.mode,
    description: change.description,
    cta_text: change.ctaText,
    cta_url: change.ctaUrl,
    voice: change.voice,
    pronunciations: change.pronunciations && JSON.stringify(change.pronunciations),
    presenter_name: change.presenterName,
    consent_text: change.consentText,
    ...language,
    cta_kind: change.ctaKind,
    start_policy: change.startPolicy,
    moderation: change.moderation,
    target_seconds: change.targetSeconds,
    minutes_max: change.minutesMax,
    starts_at: change.startsAt === null ? null : change.startsAt && Date.parse(change.startsAt),
    tags: change.tags && JSON.stringify(change.tags),
    cta_rules: change.ctaRules && JSON.stringify(change.ctaRules),
    embed_origins: change.embedOrigins === null ? null : change.embedOrigins && JSON.stringify(change.embedOrigins),
    discoverable: change.discoverable === undefined ? undefined : Number(change.discoverable),
  }
  const consent = change.consentText === undefined ? row.consent_text : change.consentText
  // Without a text of the host, the words follow the language.
  const isReworded = consent !== row.consent_text || (consent === null && (language.language ?? row.language) !== row.language)
  if (isReworded) columns['consent_version'] = row.consent_version + 1
  // Every key above is a column of `sessions`; undefined means untouched.
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Updateable<SessionRow>
}

function statusOf({ status, isLive }: Change): Change['status'] {
  if (isLive === undefined) return status
  const meant = isLive ? 'published' : 'draft'
  if (status !== undefined && status !== meant)
    throw invalidInput([{ pointer: '#/isLive', detail: 'says the opposite of `status`: send one of them.' }])
  return meant
}

export const updateSession = operation({
  name: 'update_session',
  area: 'sessions',
  summary: 'Change a session',
  description: 'Members left out stay as they are. Null clears an optional one. `status`, or `isLive`, publishes or unpublishes.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: async (change: Change, call, deps: SessionsDeps) => {
    const { accountId } = call.principal
    const status = statusOf(change)
    await deps.store.write(async (tx) => {
      const row = await ownSession(tx, accountId, change.sessionId)
      const startsAt = change.startsAt === undefined && row.starts_at !== null ? iso(row.starts_at) : change.startsAt
      checkSettings({ ctaKind: change.ctaKind, startPolicy: change.startPolicy ?? row.start_policy, startsAt }, call.principal)
      const spoken = await languageAfter(change, row, tx, deps)
      const columns = { ...columnsOf(change, row, spoken), ...(status !== undefined && moved(row, status, call.now)), updated_at: call.now }
      await tx.updateTable('sessions').set(columns).where('id', '=', row.id).execute()
      if (change.voice !== undefined || change.pronunciations !== undefined) deps.content.revoice(tx, row.id)
    })
    // Language, length and call to action are spoken: the script is compiled again.
    deps.content.wake(change.sessionId)
    await deps.tellRuns(change.sessionId)
    return show(accountId, change.sessionId, deps)
  },
  http: { method: 'PATCH', path: '/api/v1/agent/sessions/{sessionId}', output: sessionSettings, view: (shown) => settingsView(shown) },
})
