// Changes settings of a session. A member left out stays as it is; null clears one that may be absent.
import type { Updateable } from 'kysely'
import { z } from 'zod'
import { iso } from '../platform/clock.ts'
import { changes, operation, scoped } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { Tx } from '../platform/db/store.ts'
import type { SessionRow } from './tables.ts'
import { checkSettings } from './create-session.ts'
import { change, columnsOf, isRevoiced, sessionId, settingOf } from '../contract/session.ts'
import { settingsView, show } from './get-session.ts'
import type { SessionsDeps } from './ports.ts'
import { moved } from './publish-session.ts'
import { ownSession, type Session, withKeys } from './session.ts'
import { sessionSettings } from './session-view.ts'

const input = z.object({
  sessionId,
  ...change,
  status: z.enum(['draft', 'published']).optional().describe('Publishes or unpublishes.'),
  isLive: z.boolean().optional().describe('The same: true is `published`.'),
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
function changedColumns(wanted: Change, row: Session, spoken: SpokenIn): Updateable<SessionRow> {
  const columns: Updateable<SessionRow> = { ...columnsOf(wanted), ...spoken }
  const consent = columns.consent_text === undefined ? row.consent_text : columns.consent_text
  // Without a text of the host, the words follow the language.
  const isReworded = consent !== row.consent_text || (consent === null && (spoken.language ?? row.language) !== row.language)
  return isReworded ? { ...columns, consent_version: row.consent_version + 1 } : columns
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
  elsewhere: {
    slides: 'slides are changed with `PUT .../deck`, or one with `PATCH .../deck/slides/{slideId}`.',
    pdfUrl: 'another deck is sent with `PUT .../deck`.',
    knowledgeBase: 'background is changed with `PUT .../knowledge`, as `passages`.',
  },
  run: async (wanted: Change, call, deps: SessionsDeps) => {
    const { accountId } = call.principal
    const status = statusOf(wanted)
    await deps.store.write(async (tx) => {
      const row = await ownSession(tx, accountId, wanted.sessionId)
      const startsAt = wanted.startsAt === undefined && row.starts_at !== null ? iso(row.starts_at) : wanted.startsAt
      const isCtaChanged = wanted.ctaKind !== undefined || wanted.ctaUrl !== undefined
      const cta = isCtaChanged ? { ctaKind: wanted.ctaKind ?? row.cta_kind, ctaUrl: wanted.ctaUrl ?? row.cta_url } : {}
      const before = settingOf('guests', row)
      const guests = wanted.guests && withKeys(wanted.guests, before ?? [], deps.ids)
      const audience = {
        guests: guests === undefined ? before : guests,
        discoverable: wanted.discoverable ?? (wanted.guests ? false : row.discoverable === 1),
      }
      checkSettings({ ...cta, ...audience, startPolicy: wanted.startPolicy ?? row.start_policy, startsAt }, call.principal)
      const spoken = await languageAfter(wanted, row, tx, deps)
      const columns = {
        ...changedColumns({ ...wanted, guests, discoverable: audience.discoverable }, row, spoken),
        ...(status !== undefined && moved(row, status, call.now)),
        updated_at: call.now,
      }
      await tx.updateTable('sessions').set(columns).where('id', '=', row.id).execute()
      if (isRevoiced(wanted)) deps.content.revoice(tx, row.id)
    })
    // Language, length and call to action are spoken: the script is compiled again.
    deps.content.wake(wanted.sessionId)
    await deps.tellRuns(wanted.sessionId)
    return show(accountId, wanted.sessionId, deps)
  },
  http: { method: 'PATCH', path: '/api/v1/agent/sessions/{sessionId}', output: sessionSettings, view: (shown) => settingsView(shown) },
})
