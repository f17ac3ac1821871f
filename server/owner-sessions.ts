// What the command line does for the owner's account: the public operations, called as a credential with every scope would.
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { titleOfFile } from '@rostrum/contract/file-title'
import type { Clock, Ids } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import type { Call } from './platform/operation.ts'
import { parseInput } from './platform/parse.ts'
import { type AccountPrincipal, scopes } from './platform/principal.ts'
import { SentFile } from './platform/sent-file.ts'
import type { Areas } from './areas.ts'
import { holdWord } from './platform/db/statements.ts'
import type { Store } from './platform/db/store.ts'
import { operator, recordAct } from './accounts/audit.ts'
import type { Blobs } from './platform/blobs/blobs.ts'
import { pictureWelcome, welcomeDeck } from './decks/welcome.ts'

interface DeckFile {
  name: string
  bytes: Uint8Array
}

interface WantedSession {
  /** Where absent: what the deck calls itself, else the name of its file. */
  title?: string
  publish: boolean
  deck?: DeckFile
}

interface CreatedSession {
  sessionId: string
  slug: string
  shareLink: string
  status: string
  isLive: boolean
  rehearsalUrl?: string
}

const titleOf = (deck: DeckFile | undefined) => titleOfFile(deck?.name ?? '') || 'Talk'

export interface OwnerSessionsParts {
  areas: Areas
  store: Store
  clock: Clock
  ids: Ids
  /** The owner's. */
  accountId: string
}

export type OwnerSessions = ReturnType<typeof ownerSessions>

/** Who can read the data directory can do everything there. */
export function commandLine(accountId: string): AccountPrincipal {
  return { kind: 'api_key', accountId, credentialId: 'command-line', scopes, label: 'command line' }
}

export function ownerSessions({ areas, store, clock, ids, accountId }: OwnerSessionsParts) {
  const principal = commandLine(accountId)

  async function call(name: string, input: Record<string, unknown>): Promise<unknown> {
    const operation = areas.operations.find((each) => each.name === name)
    if (operation?.http === undefined) throw new Error(`There is no operation ${name}.`)
    const facts: Call = { principal, now: clock.now(), requestId: ids.uuid(), address: '127.0.0.1', signal: new AbortController().signal }
    const result = await operation.handle(parseInput(operation.input, input), facts)
    return operation.http.view === undefined ? result : operation.http.view(result)
  }

  // Each view below is the one its operation declares; the members read here are required by its output schema.
  /** `create_session` with any of its members; a draft. */
  const create = async (wanted: object) => (await call('create_session', { ...wanted })) as CreatedSession
  const replaceDeck = async (sessionId: string, deck: DeckFile) =>
    void (await call('put_deck', { sessionId, files: [SentFile.of(deck.bytes)], fileName: deck.name }))
  /** Gives the join link. */
  const publish = async (sessionId: string) => ((await call('publish_session', { sessionId })) as { shareLink: string }).shareLink

  return {
    create,
    replaceDeck,
    publish,
    unpublish: (sessionId: string) => call('unpublish_session', { sessionId }),
    remove: (sessionId: string) => call('delete_session', { sessionId }),
    /** Creates, uploads, and resolves when the deck can be presented; throws with the reason when it cannot. */
    async createReady({ title, publish: wantsLive, deck }: WantedSession): Promise<CreatedSession> {
      const created = await create({ title: title ?? titleOf(deck) })
      const { sessionId } = created
      if (deck !== undefined) {
        await replaceDeck(sessionId, deck)
        await deckFinished(sessionId)
      }
      if (!wantsLive) return created
      await publish(created.sessionId)
      return { ...created, status: 'published', isLive: true }
    },
    /** The newest session of a file of this name that the command line made: one of a person or an agent is not its to change. */
    async findOwn(fileName: string): Promise<string | undefined> {
      const row = await store.read
        .selectFrom('sessions')
        .innerJoin('decks', 'decks.session_id', 'sessions.id')
        .select('sessions.id')
        .where('sessions.account_id', '=', accountId)
        .where('file_name', '=', fileName)
        .where('created_by_id', '=', 'command-line')
        .orderBy('sessions.created_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.id
    },
  }

  async function deckFinished(sessionId: string): Promise<void> {
    let ring = () => {}
    const stop = store.listen(`deck:${sessionId}`, () => ring())
    try {
      for (;;) {
        const deck = await store.read
          .selectFrom('decks')
          .select(['state', 'reason'])
          .where('session_id', '=', sessionId)
          .orderBy('version', 'desc')
          .limit(1)
          .executeTakeFirst()
        if (deck?.state === 'ready') return
        if (deck?.state === 'failed') throw new ServiceError('invalid_request', deck.reason ?? 'The deck could not be read.')
        // Another process may be reading it, and its doorbell does not ring here on SQLite.
        await new Promise<void>((resolve) => {
          const cancel = clock.after(500, resolve)
          ring = () => {
            cancel()
            resolve()
          }
        })
      }
    } finally {
      stop()
    }
  }
}

/** A file that was presented before is presented again: its session gets the file as it is now. */
export async function presentFile(sessions: OwnerSessions, path: string): Promise<{ title: string; url: string }> {
  const deck = { name: basename(path), bytes: await readFile(path) }
  const title = titleOf(deck)
  const sessionId = (await sessions.findOwn(deck.name)) ?? (await sessions.create({ title })).sessionId
  await sessions.replaceDeck(sessionId, deck)
  return { title, url: await sessions.publish(sessionId) }
}

// What the operator does to a session of anybody at the command line: the public operation of its account, and a line in the audit log.

/** Says where the session is not the owner account's, or not there. */
export async function actAsOperator(
  parts: OwnerSessionsParts,
  { id, act, anyAccount }: { id: string; act: 'unpublish' | 'delete'; anyAccount: boolean },
): Promise<'done' | 'foreign' | 'unknown'> {
  const { store, ids, clock, accountId } = parts
  const session = await store.read.selectFrom('sessions').select('account_id').where('id', '=', id).executeTakeFirst()
  if (session === undefined) return 'unknown'
  if (session.account_id !== accountId && !anyAccount) return 'foreign'
  const sessions = ownerSessions({ ...parts, accountId: session.account_id })
  await (act === 'delete' ? sessions.remove(id) : sessions.unpublish(id))
  const told = act === 'delete' ? { action: 'session.deleted' } : { action: 'session.unpublished' }
  const about = { accountId: session.account_id, target: ['session', id] } as const
  await store.write((tx) => recordAct(tx, ids, operator(clock.now()), { ...told, ...about }))
  return 'done'
}

// The talk at /join/welcome: the product presents itself. Published once, on an empty store; it is then a session like any other.

const slug = 'welcome'

/** Names the room when there is a welcome talk, made now or before. */
export async function publishWelcome(
  sessions: OwnerSessions,
  decks: { store: Store; blobs: Pick<Blobs, 'put'> },
  baseUrl: string,
): Promise<{ title: string; url: string }[]> {
  const { store } = decks
  const url = `${baseUrl}/join/${slug}`
  const any = await store.read.selectFrom('sessions').select('id').limit(1).executeTakeFirst()
  if (any === undefined) {
    const { sessionId } = await sessions.create(welcomeDeck(baseUrl))
    await pictureWelcome(decks, sessionId)
    const taken = await store.write(async (tx) => {
      // Of two processes that start at once on one store, one publishes it.
      await holdWord(tx, slug)
      const other = await tx.selectFrom('sessions').select('title').where('slug', '=', slug).executeTakeFirst()
      if (other === undefined) await tx.updateTable('sessions').set({ slug }).where('id', '=', sessionId).execute()
      return other
    })
    if (taken !== undefined) {
      await sessions.remove(sessionId)
      return [{ title: taken.title, url }]
    }
    await sessions.publish(sessionId)
  }
  const open = store.read.selectFrom('sessions').select('title').where('slug', '=', slug).where('status', '=', 'published')
  const welcome = await open.executeTakeFirst()
  return welcome === undefined ? [] : [{ title: welcome.title, url }]
}
