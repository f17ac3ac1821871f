// Creates a session with its slides and knowledge (spec 2.1 to 2.3, 4.1). Fetching and compiling follow in the background.
import { z } from 'zod'
import { limits, webUrl } from '@rostrum/contract/fields'
import { type Ids, iso } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import { type Call, creates, operation, scoped } from '../platform/operation.ts'
import { invalidInput, passedOverShape } from '../platform/parse.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { append } from '../platform/db/domain-events.ts'
import type { Reader } from '../platform/db/store.ts'
import type { StorageLimit } from '../sessions/storage.ts'
import { newPassage, newSlide } from '@rostrum/contract/new-content'
import { creation, newColumns, sessionId, type Settings } from '@rostrum/contract/session'
import { settingsView, show, type ShowDeps, type Shown, toldOf, toldShape } from './list-sessions.ts'
import { checkAddresses, copyContent, createContent, prepareSlides, slidesElsewhere } from '../decks/create-content.ts'
import { preparePassages } from '../knowledge/passage-rows.ts'
import { drawnBrand, type LogoDeps, takeLogo } from './put-brand.ts'
import {
  insertSession,
  ownSession,
  rehearsalToken,
  rehearsalUrl,
  roomUrl,
  type Session,
  sessionSettings,
  slugOf,
  type Unplaced,
  withKeys,
} from '../sessions/session.ts'
import { sessionLeft, type SessionPlan, spendSession } from '../sessions/usage.ts'

const input = z.object({
  ...creation,
  isLive: z.boolean().default(false).describe('Publish at once; else a draft.'),
  pdfUrl: webUrl.describe('A PDF whose pages become the slides.').optional(),
  slides: z.array(newSlide).max(limits.slides).default([]).describe('Slides in order; with `pdfUrl` they override its pages.'),
  knowledgeBase: z.array(newPassage).max(limits.passages).default([]).describe('Background the presenter may quote.'),
})

type NewSession = z.output<typeof input>

interface CopyDeps extends ShowDeps {
  ids: Ids
  planOf(read: Reader, accountId: string): Promise<SessionPlan>
  /** Compiles the script once the caller has its answer. */
  scripts: { refresh(sessionId: string): void }
}

interface CreateDeps extends CopyDeps, LogoDeps {
  storageLimit: StorageLimit
  /** Whether mails leave this service. */
  hasMail: boolean
}

/** A checkout, wherever people would pay, needs its own scope and a safe address; a scheduled start needs a time. */
export function checkSettings(
  wanted: {
    [Member in 'ctaKind' | 'ctaUrl' | 'startPolicy' | 'startsAt' | 'guests' | 'discoverable' | 'registration' | 'entry']?:
      | Settings[Member]
      | undefined
  },
  principal: AccountPrincipal,
  hasMail: boolean,
): void {
  if (wanted.ctaKind === 'checkout' && !principal.scopes.includes('checkout:write')) {
    throw new ServiceError('insufficient_scope', 'A checkout needs sessions:write and checkout:write.', {
      members: { scopes_required: ['sessions:write', 'checkout:write'] },
    })
  }
  if (wanted.ctaKind === 'checkout' && !/^https:/i.test(wanted.ctaUrl ?? 'https:')) {
    throw invalidInput([{ pointer: '#/ctaUrl', detail: 'must be an https address where `ctaKind` is `checkout`: people pay there.' }])
  }
  if (wanted.startPolicy === 'scheduled' && (wanted.startsAt ?? null) === null) {
    throw invalidInput([{ pointer: '#/startsAt', detail: 'is required when `startPolicy` is `scheduled`: send an ISO 8601 time.' }])
  }
  if (wanted.discoverable === true && (wanted.guests ?? null) !== null) {
    throw invalidInput([{ pointer: '#/discoverable', detail: 'must be false where `guests` are named: a talk for them is in no list.' }])
  }
  const isConfirmed = wanted.entry === 'confirmed'
  if ((isConfirmed || (wanted.registration ?? null) !== null) && (wanted.guests ?? null) !== null) {
    const pointer = isConfirmed ? '#/entry' : '#/registration'
    throw invalidInput([
      { pointer, detail: 'goes with no `guests`: people whom you name come by their links. Send null for one of the two.' },
    ])
  }
  if (isConfirmed && !hasMail) {
    throw invalidInput([
      {
        pointer: '#/entry',
        detail: 'needs a mail server: the operator sets ROSTRUM_SMTP_URL. Until then send `anyone`, or name `guests`.',
      },
    ])
  }
}

const createdByKind = { api_key: 'api_key', oauth: 'api_key', agent: 'agent', user: 'user' } as const

function toRow(wanted: NewSession, call: Call<AccountPrincipal>, deps: { ids: Ids }): Unplaced {
  const { principal, now } = call
  return {
    id: deps.ids.uuid(),
    account_id: principal.accountId,
    ...newColumns({ ...wanted, ...(wanted.guests && { guests: withKeys(wanted.guests, [], deps.ids), discoverable: false }) }),
    status: wanted.isLive ? 'published' : 'draft',
    language_from: wanted.language === undefined ? 'default' : 'host',
    portrait_key: null,
    consent_version: 1,
    rehearsal_token: rehearsalToken(deps.ids),
    deck_id: null,
    slides_count: wanted.slides.length,
    created_by_kind: createdByKind[principal.kind],
    created_by_id: principal.kind === 'user' ? principal.userId : principal.credentialId,
    event_seq: 0,
    created_at: now,
    updated_at: now,
    published_at: wanted.isLive ? now : null,
    active_at: now,
  }
}

/** The event that a new session owes (spec 6.1). */
function createdEvent(row: Unplaced) {
  return {
    type: 'session.created' as const,
    accountId: row.account_id,
    sessionId: row.id,
    at: row.created_at,
    dedupeKey: `created:${row.id}`,
    data: {
      isLive: row.status === 'published',
      slidesCount: row.slides_count,
      createdAt: iso(row.created_at),
      createdBy: { kind: row.created_by_kind, id: row.created_by_id },
    },
  }
}

interface Warned {
  code: string
  pointer?: string
  detail: string
}

/** What was sent and does nothing as it stands. */
function withoutEffect({ ctaText, ctaUrl, isLive, slides, pdfUrl }: NewSession): Warned[] {
  return [
    ...(ctaText !== undefined && ctaUrl === undefined
      ? [{ code: 'cta_without_link', pointer: '#/ctaText', detail: 'A button needs a link: without `ctaUrl` none is shown.' }]
      : []),
    ...(isLive && slides.length === 0 && pdfUrl === undefined
      ? [{ code: 'live_without_slides', pointer: '#/isLive', detail: 'The room is open and has no slides: send some with `PUT .../deck`.' }]
      : []),
  ]
}

interface Created {
  row: Session
  baseUrl: string
  warned: readonly Warned[]
  deckState: 'none' | 'pending' | 'ready'
  unnarrated: readonly Warned[]
}

const created = z.object({
  sessionId: z.uuid(),
  slug: z.string(),
  shareLink: z.url(),
  status: z.enum(['draft', 'published']),
  isLive: z.boolean(),
  rehearsalUrl: z.string().optional(),
  createdAt: z.string(),
  warnings: z.array(passedOverShape).optional(),
})

/** What only a host decides is set by them: who comes in and asks, where it is shown and how it looks, what it may cost. */
const toolInput = input
  .omit({ guests: true, registration: true, entry: true, linksUntil: true, timeZone: true })
  .omit({ brand: true, listenerLanguages: true, moderation: true, embedOrigins: true, minutesMax: true })
  .extend({
    sessionId: sessionId.describe('Change this one instead; slides replace its slides.').optional(),
    idempotencyKey: z.string().max(255).describe('Makes a repeat harmless.').optional(),
  })

const toldWith = (row: Session, baseUrl: string, deckState: string, warnings: readonly Warned[]) => ({
  ...toldOf(row, baseUrl, deckState),
  ...(warnings.length > 0 && { warnings }),
})

/** Slides that came without words for the presenter. An agent writes better than rules do, so it is told that it may. */
function unnarrated(slides: readonly { narration?: unknown }[]): Warned[] {
  const count = slides.filter(({ narration }) => typeof narration !== 'string' || narration.trim() === '').length
  if (count === 0) return []
  const which = count === 1 ? 'One slide has' : `${count} slides have`
  const detail = `${which} no narration: what is said there is compiled from bullets. Write 60 to 120 words a slide that explain it, and send the slides again with \`narration\`: create_session with this sessionId.`
  return [{ code: 'narration_missing', detail }]
}

export const createSession = operation({
  name: 'create_session',
  summary: 'Create a session',
  description: 'Creates a session for the account of the credential and returns its join link. A `pdfUrl` is fetched in the background.',
  access: scoped('sessions:write'),
  effects: { ...creates, openWorld: true },
  errors: ['quota_exceeded', 'url_not_allowed', 'limit_reached'],
  input,
  elsewhere: {
    ...slidesElsewhere,
    ...Object.fromEntries(['publish', 'published', 'public', 'status'].map((name) => [name, '`isLive: true` publishes at once.'])),
    cta: 'the call to action is `ctaText` and `ctaUrl`.',
    deck: 'slides are sent as `slides`, a file at an address as `pdfUrl`, and a file itself to `PUT .../deck`.',
  },
  before: async (_, { principal: { accountId }, now }, { store, planOf }: CreateDeps) =>
    sessionLeft(store.read, accountId, await planOf(store.read, accountId), now),
  run: async (wanted: NewSession, call, deps: CreateDeps) => {
    checkSettings({ ...wanted, ...(wanted.guests && { discoverable: false }) }, call.principal, deps.hasMail)
    await checkAddresses(deps, wanted)
    const slides = wanted.pdfUrl === undefined ? await prepareSlides(wanted.slides) : []
    const at = { pointer: '#/brand/logoUrl', signal: call.signal }
    const branded = wanted.brand && (await drawnBrand(wanted.brand, null, at, deps))
    const planned = toRow({ ...wanted, brand: branded?.brand }, call, deps)
    const content = {
      sessionId: planned.id,
      accountId: planned.account_id,
      ...(wanted.language !== undefined && { language: wanted.language }),
      slides,
      overrides: wanted.slides,
      pdfUrl: wanted.pdfUrl,
      knowledge: await preparePassages(wanted.knowledgeBase),
      now: call.now,
    }
    const deckState = wanted.pdfUrl !== undefined ? 'pending' : wanted.slides.length > 0 ? 'ready' : 'none'
    const made = await deps.store.write(async (tx) => {
      await spendSession(tx, planned.account_id, await deps.planOf(tx, planned.account_id), call.now)
      if (branded) await takeLogo(tx, { ownerId: planned.id, accountId: planned.account_id, now: call.now }, null, branded, deps)
      const { deckId: deck_id, language } = await createContent(tx, content, deps)
      const read = wanted.language === undefined && language !== undefined && { language, language_from: 'deck' as const }
      const row = { ...planned, ...read, deck_id }
      const slug = await insertSession(tx, row, () => slugOf(planned.title, deps.ids))
      await append(tx, createdEvent(planned))
      const warned = withoutEffect(wanted)
      const result: Created = { row: { ...row, slug }, baseUrl: deps.baseUrl, warned, deckState, unnarrated: unnarrated(wanted.slides) }
      await call.doneIn?.(tx, result)
      return result
    })
    deps.scripts.refresh(made.row.id)
    return made
  },
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions',
    bodyMax: 16 * 1024 * 1024,
    output: created,
    view: ({ row, baseUrl, warned }) => ({
      sessionId: row.id,
      slug: row.slug,
      shareLink: roomUrl(baseUrl, row.slug),
      status: row.status,
      isLive: row.status === 'published',
      rehearsalUrl: rehearsalUrl(baseUrl, row.rehearsal_token),
      createdAt: iso(row.created_at),
      ...(warned.length > 0 && { warnings: warned }),
    }),
  },
  tool: {
    title: 'Create a presentation',
    description:
      'Creates a Rostrum presentation that an automated presenter gives in a web room. Use this when someone wants a talk from slides, text or a PDF. Write `narration` for each slide, 60 to 120 words that explain it. With sessionId it changes that one; isLive publishes it. Follow nextSteps.',
    input: toolInput,
    output: toldShape.extend({ warnings: z.array(passedOverShape).optional() }),
    view: ({ row, baseUrl, warned, deckState, unnarrated: silent }) => toldWith(row, baseUrl, deckState, [...warned, ...silent]),
    ui: 'sessions/create',
    repeatKey: 'idempotencyKey',
    instead: {
      of({ sessionId: id, idempotencyKey: _, slides, pdfUrl, knowledgeBase: passages, ...change }) {
        if (id === undefined || id === null) return undefined
        return [
          ...(slides === undefined && pdfUrl === undefined ? [] : [{ name: 'put_deck', input: { sessionId: id, slides, pdfUrl } }]),
          ...(passages === undefined ? [] : [{ name: 'put_knowledge', input: { sessionId: id, passages } }]),
          { name: 'update_session', input: { ...change, sessionId: id } },
        ]
      },
      async view(result, { slides }) {
        // What `update_session` gives.
        const { row, baseUrl, deckReason } = result as Shown
        const silent = Array.isArray(slides) ? unnarrated(slides) : []
        return { ...toldWith(row, baseUrl, row.deck_state ?? 'none', silent), deckReason: await deckReason() }
      },
    },
  },
})

// Copies a session with its deck and knowledge as a new draft. Runs, leads and figures stay with the original.

export const duplicateSession = operation({
  name: 'duplicate_session',
  summary: 'Duplicate a session',
  description: 'Makes a draft with the same settings, deck and knowledge. It counts as a created session.',
  access: scoped('sessions:write'),
  errors: ['quota_exceeded'],
  input: z.object({ sessionId }),
  run: async (wanted, call, deps: CopyDeps) => {
    const { principal, now } = call
    const copy = await deps.store.write(async (tx) => {
      const original = await ownSession(tx, principal.accountId, wanted.sessionId)
      await spendSession(tx, principal.accountId, await deps.planOf(tx, principal.accountId), now)
      const id = deps.ids.uuid()
      const row: Unplaced = {
        ...original,
        id,
        title: `${original.title.slice(0, limits.title - 7)} (copy)`,
        status: 'draft',
        rehearsal_token: rehearsalToken(deps.ids),
        deck_id: await copyContent(tx, original.id, { sessionId: id, accountId: original.account_id, now }, deps),
        event_seq: 0,
        created_at: now,
        updated_at: now,
        published_at: null,
        active_at: now,
      }
      await insertSession(tx, row, () => slugOf(original.title, deps.ids))
      await append(tx, createdEvent(row))
      await call.doneIn?.(tx, await show(principal.accountId, id, deps, tx))
      return id
    })
    deps.scripts.refresh(copy)
    return show(principal.accountId, copy, deps)
  },
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/duplicate',
    status: 201,
    output: sessionSettings,
    view: (shown) => settingsView(shown),
  },
})
