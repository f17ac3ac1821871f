// The moves between draft and published: publish, unpublish, and PATCH with `status`.
import type { Updateable } from 'kysely'
import { z } from 'zod'
import type { Brand } from '@rostrum/contract/brand'
import { change, columnsOf, isRevoiced, sessionId, settingOf } from '@rostrum/contract/session'
import { type Ids, iso } from '@rostrum/base/clock'
import { append } from '../platform/db/domain-events.ts'
import { ringAfter, type Store, type Tx } from '../platform/db/store.ts'
import type { SessionRow } from '../sessions/tables.ts'
import { type Call, changes, operation, scoped } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { checkSettings } from './create-session.ts'
import { settingsView, show, type ShowDeps } from './list-sessions.ts'
import type { StorageLimit } from '../sessions/storage.ts'
import { deckTopic, ownSession, rehearsalToken, rehearsalUrl, type Session, sessionSettings, withKeys } from '../sessions/session.ts'
import { languageOfSlides } from '@rostrum/deck/language'
import { drawnBrand, type LogoDeps, takeLogo } from './put-brand.ts'

const moving = z.object({ sessionId })
type Status = 'draft' | 'published'

/** What a move changes; to where the session is, nothing. */
function moved(row: Session, status: Status, now: number): Updateable<SessionRow> {
  return row.status === status ? {} : { status, updated_at: now, ...(status === 'published' && { published_at: now }) }
}

/** After the change itself: the event says what the session has become. */
const tellPublished = (tx: Tx, { id, account_id: accountId }: Session, now: number) =>
  append(tx, {
    type: 'session.published',
    accountId,
    sessionId: id,
    at: now,
    dedupeKey: `published:${id}:${now}`,
    data: { publishedAt: iso(now) },
  })

interface MoveDeps extends ShowDeps {
  /** In the transaction of a change: people who registered are told, and places that are free are given to who waits. */
  changed(tx: Tx, sessionId: string, now: number): Promise<void>
  /** Compiles the script once the caller has its answer. */
  scripts: { refresh(sessionId: string): void }
}

/** People in the room of an unpublished session finish their run. */
function moveTo(status: Status) {
  return async (wanted: z.output<typeof moving>, call: Call<AccountPrincipal>, deps: MoveDeps) => {
    const { accountId } = call.principal
    const hasMoved = await deps.store.write(async (tx) => {
      const row = await ownSession(tx, accountId, wanted.sessionId)
      if (row.status === status) return false
      await tx
        .updateTable('sessions')
        .set(moved(row, status, call.now))
        .where('id', '=', row.id)
        .execute()
      if (status === 'published') await tellPublished(tx, row, call.now)
      await deps.changed(tx, row.id, call.now)
      return true
    })
    if (hasMoved && status === 'published') deps.scripts.refresh(wanted.sessionId)
    return show(accountId, wanted.sessionId, deps)
  }
}

export const publishSession = operation({
  name: 'publish_session',
  summary: 'Publish a session',
  description: 'The join link works for anyone who has it.',
  access: scoped('sessions:write'),
  effects: changes,
  input: moving,
  run: moveTo('published'),
  http: { method: 'POST', path: '/api/v1/agent/sessions/{sessionId}/publish', output: sessionSettings, view: settingsView },
})

export const unpublishSession = operation({
  name: 'unpublish_session',
  summary: 'Unpublish a session',
  description: 'The join link stops working. People in the room finish their talk.',
  access: scoped('sessions:write'),
  effects: changes,
  input: moving,
  run: moveTo('draft'),
  http: { method: 'POST', path: '/api/v1/agent/sessions/{sessionId}/unpublish', output: sessionSettings, view: settingsView },
})

// Changes settings of a session. A member left out stays as it is; null clears one that may be absent.

const input = z.object({
  sessionId,
  ...change,
  status: z.enum(['draft', 'published']).optional().describe('Publishes or unpublishes.'),
  isLive: z.boolean().optional().describe('The same: true is `published`.'),
})

type Change = z.output<typeof input>

type SpokenIn = Partial<Pick<Session, 'language' | 'language_from'>>

const wordsOfDeck = (tx: Tx, deckId: string) =>
  tx.selectFrom('slides').select(['title', 'reading']).where('deck_id', '=', deckId).orderBy('position').execute()

/** Whose word on the language holds from now on; null leaves it to the deck. */
async function languageAfter({ language }: Change, row: Session, tx: Tx): Promise<SpokenIn> {
  if (language === undefined) return {}
  if (language !== null) return { language, language_from: 'host' }
  const read = row.deck_id === null ? undefined : languageOfSlides(await wordsOfDeck(tx, row.deck_id))
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

async function newBrand(brand: Brand, sessionId: string, call: Call<AccountPrincipal>, deps: LogoDeps & { store: Store }) {
  const row = await ownSession(deps.store.read, call.principal.accountId, sessionId)
  return drawnBrand(brand, settingOf('brand', row), { pointer: '#/brand/logoUrl', signal: call.signal }, deps)
}

interface UpdateDeps extends MoveDeps, LogoDeps {
  ids: Ids
  storageLimit: StorageLimit
  /** Whether mails leave this service. */
  hasMail: boolean
  /** After a commit that changed settings: talks that wait for their start, or are running, go by them from now on. */
  tellRuns(sessionId: string): Promise<void>
}

export const updateSession = operation({
  name: 'update_session',
  summary: 'Change a session',
  description: 'Members left out stay as they are. Null clears an optional one. `status`, or `isLive`, publishes or unpublishes.',
  access: scoped('sessions:write'),
  errors: ['url_not_allowed', 'limit_reached'],
  input,
  elsewhere: {
    slides: 'slides are changed with `PUT .../deck`, or one with `PATCH .../deck/slides/{slideId}`.',
    pdfUrl: 'another deck is sent with `PUT .../deck`.',
    knowledgeBase: 'background is changed with `PUT .../knowledge`, as `passages`.',
  },
  run: async (wanted: Change, call, deps: UpdateDeps) => {
    const { accountId } = call.principal
    const status = statusOf(wanted)
    const branded = wanted.brand && (await newBrand(wanted.brand, wanted.sessionId, call, deps))
    await deps.store.write(async (tx) => {
      const row = await ownSession(tx, accountId, wanted.sessionId)
      if (wanted.brand !== undefined) {
        const owner = { ownerId: row.id, accountId, now: call.now }
        await takeLogo(tx, owner, settingOf('brand', row), branded ?? { brand: {} }, deps)
      }
      const startsAt = wanted.startsAt === undefined && row.starts_at !== null ? iso(row.starts_at) : wanted.startsAt
      const isCtaChanged = wanted.ctaKind !== undefined || wanted.ctaUrl !== undefined
      const cta = isCtaChanged ? { ctaKind: wanted.ctaKind ?? row.cta_kind, ctaUrl: wanted.ctaUrl ?? row.cta_url } : {}
      const before = settingOf('guests', row)
      const guests = wanted.guests && withKeys(wanted.guests, before ?? [], deps.ids)
      const audience = {
        guests: guests === undefined ? before : guests,
        discoverable: wanted.discoverable ?? (wanted.guests ? false : row.discoverable === 1),
      }
      const registered = {
        registration: wanted.registration === undefined ? settingOf('registration', row) : wanted.registration,
        entry: wanted.entry ?? row.entry,
      }
      const start = { startPolicy: wanted.startPolicy ?? row.start_policy, startsAt }
      checkSettings({ ...cta, ...audience, ...registered, ...start }, call.principal, deps.hasMail)
      const spoken = await languageAfter(wanted, row, tx)
      const columns = {
        ...changedColumns(
          { ...wanted, brand: branded ? branded.brand : wanted.brand, guests, discoverable: audience.discoverable },
          row,
          spoken,
        ),
        ...(status !== undefined && moved(row, status, call.now)),
        updated_at: call.now,
      }
      await tx.updateTable('sessions').set(columns).where('id', '=', row.id).execute()
      if (status === 'published' && row.status !== 'published') await tellPublished(tx, row, call.now)
      await deps.changed(tx, row.id, call.now)
      // Talks in memory know their clips by what the voice was given.
      if (isRevoiced(wanted)) ringAfter(tx, deckTopic(row.id))
    })
    // Language, length and call to action are spoken: the script is compiled again.
    deps.scripts.refresh(wanted.sessionId)
    await deps.tellRuns(wanted.sessionId)
    return show(accountId, wanted.sessionId, deps)
  },
  http: { method: 'PATCH', path: '/api/v1/agent/sessions/{sessionId}', output: sessionSettings, view: (shown) => settingsView(shown) },
})

// The rehearsal link: a secret address where the talk can be tried at no cost. A new one ends the old one.

const ofLink = z.object({ sessionId })
const link = <Url extends z.ZodType>(rehearsalUrl: Url) => z.object({ rehearsalUrl })

interface LinkDeps {
  store: Store
  ids: Ids
  /** Without a trailing slash. */
  baseUrl: string
}

function replaceWith(newToken: (deps: { ids: Ids }) => string | null) {
  return async (wanted: { sessionId: string }, call: Call<AccountPrincipal>, deps: LinkDeps) => {
    const token = newToken(deps)
    await deps.store.write(async (tx) => {
      const row = await ownSession(tx, call.principal.accountId, wanted.sessionId)
      await tx.updateTable('sessions').set({ rehearsal_token: token, updated_at: call.now }).where('id', '=', row.id).execute()
    })
    return { rehearsalUrl: rehearsalUrl(deps.baseUrl, token) ?? null }
  }
}

export const createRehearsalLink = operation({
  name: 'create_rehearsal_link',
  summary: 'Make a new rehearsal link',
  description: 'The former link stops working.',
  access: scoped('sessions:write'),
  input: ofLink,
  run: replaceWith((deps) => rehearsalToken(deps.ids)),
  http: { method: 'POST', path: '/api/v1/agent/sessions/{sessionId}/rehearsal-link', output: link(z.string()) },
})

export const deleteRehearsalLink = operation({
  name: 'delete_rehearsal_link',
  summary: 'Revoke the rehearsal link',
  access: scoped('sessions:write'),
  effects: changes,
  input: ofLink,
  run: replaceWith(() => null),
  http: { method: 'DELETE', path: '/api/v1/agent/sessions/{sessionId}/rehearsal-link', output: link(z.null()) },
})

// Deletes a session for good: its runs end, its leads and content go, its waiting deliveries are cancelled.

interface DeleteDeps {
  store: Store
  /** Ends the running talks of a session that is about to be deleted; people in the room are told. */
  stopRuns(sessionId: string): Promise<void>
  /** Removes the session with all that belongs to it: each area what is its own. */
  forget(tx: Tx, sessionId: string, now: number): Promise<void>
}

export const deleteSession = operation({
  name: 'delete_session',
  summary: 'Delete a session',
  description:
    'Cannot be undone. Ends running talks, removes the leads, cancels waiting webhook deliveries; what its talks recorded goes within two hours.',
  access: scoped('sessions:write'),
  input: z.object({ sessionId }),
  run: async (wanted, call, deps: DeleteDeps) => {
    const { accountId } = call.principal
    const { id } = await ownSession(deps.store.read, accountId, wanted.sessionId)
    await deps.stopRuns(id)
    await deps.store.write(async (tx) => {
      await ownSession(tx, accountId, id)
      await deps.forget(tx, id, call.now)
    })
    return { id, deleted: true }
  },
  http: {
    method: 'DELETE',
    path: '/api/v1/agent/sessions/{sessionId}',
    output: z.object({ id: z.string(), deleted: z.boolean() }),
  },
})
