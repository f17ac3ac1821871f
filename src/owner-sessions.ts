// What the command line does for the owner's account: the public operations, called as a credential with every scope would.
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { titleOfFile } from './contract/file-title.ts'
import type { Clock } from './platform/clock.ts'
import { ServiceError } from './platform/errors.ts'
import type { Ids } from './platform/ids.ts'
import type { Call } from './platform/operation.ts'
import { parseInput } from './platform/parse.ts'
import { type AccountPrincipal, scopes } from './platform/principal.ts'
import type { Areas } from './areas.ts'
import type { Store } from './platform/db/store.ts'
import { type Act, operator, recordAct } from './accounts/audit.ts'
import type { DecksDeps } from './sessions/deck/create-decks.ts'
import { pictureWelcome, welcomeDeck } from './sessions/deck/welcome.ts'

export interface DeckFile {
  name: string
  bytes: Uint8Array
}

export interface WantedSession {
  /** Where absent: what the deck calls itself, else the name of its file. */
  title?: string
  publish: boolean
  deck?: DeckFile
}

export interface CreatedSession {
  sessionId: string
  slug: string
  shareLink: string
  status: string
  isLive: boolean
  rehearsalUrl?: string
}

const titleOf = (deck: DeckFile | undefined) => titleOfFile(deck?.name ?? '') || 'Talk'

export interface OwnerSessions {
  /** `create_session` with any of its members. */
  create(wanted: { title: string; publish: boolean } & Readonly<Record<string, unknown>>): Promise<CreatedSession>
  /** Creates, uploads, and resolves when the deck can be presented; throws with the reason when it cannot. */
  createReady(wanted: WantedSession): Promise<CreatedSession>
  replaceDeck(sessionId: string, deck: DeckFile): Promise<void>
  unpublish(sessionId: string): Promise<void>
  remove(sessionId: string): Promise<void>
  /** Publishes; gives the join link. */
  publish(sessionId: string): Promise<string>
  /** The newest session of a file of this name that the command line made: one of a person or an agent is not its to change. */
  findOwn(fileName: string): Promise<string | undefined>
}

export interface OwnerSessionsParts {
  areas: Areas
  store: Store
  clock: Clock
  ids: Ids
  accountId: string
}

export function ownerSessions({ areas, store, clock, ids, accountId }: OwnerSessionsParts): OwnerSessions {
  const principal: AccountPrincipal = { kind: 'api_key', accountId, credentialId: 'command-line', scopes, label: 'command line' }

  async function call(name: string, input: Record<string, unknown>): Promise<unknown> {
    const operation = areas.operations.find((each) => each.name === name)
    if (operation?.http === undefined) throw new Error(`There is no operation ${name}.`)
    const facts: Call = { principal, now: clock.now(), requestId: ids.uuid(), address: '127.0.0.1', signal: new AbortController().signal }
    const result = await operation.handle(parseInput(operation.input, input), facts)
    return operation.http.view === undefined ? result : operation.http.view(result)
  }

  // Each view below is the one its operation declares; the members read here are required by its output schema.
  const create: OwnerSessions['create'] = async ({ publish: isLive, ...wanted }) =>
    (await call('create_session', { ...wanted, isLive })) as CreatedSession
  const replaceDeck: OwnerSessions['replaceDeck'] = async (sessionId, deck) =>
    void (await call('put_deck', { sessionId, files: [deck.bytes], fileName: deck.name }))
  const publish: OwnerSessions['publish'] = async (sessionId) =>
    ((await call('publish_session', { sessionId })) as { shareLink: string }).shareLink

  return {
    create,
    replaceDeck,
    publish,
    unpublish: async (sessionId) => void (await call('unpublish_session', { sessionId })),
    remove: async (sessionId) => void (await call('delete_session', { sessionId })),
    async createReady({ title, publish: wantsLive, deck }) {
      const created = await create({ title: title ?? titleOf(deck), publish: false })
      const { sessionId } = created
      if (deck !== undefined) {
        await replaceDeck(sessionId, deck)
        await deckFinished(sessionId)
      }
      if (!wantsLive) return created
      await publish(created.sessionId)
      return { ...created, status: 'published', isLive: true }
    },
    async findOwn(fileName) {
      const row = await store.read
        .selectFrom('sessions')
        .innerJoin('decks', 'decks.session_id', 'sessions.id')
        .select('sessions.id')
        .where('sessions.account_id', '=', accountId)
        .where('file_name', '=', fileName)
        .where('created_by_id', '=', principal.credentialId)
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
  const sessionId = (await sessions.findOwn(deck.name)) ?? (await sessions.create({ title, publish: false })).sessionId
  await sessions.replaceDeck(sessionId, deck)
  return { title, url: await sessions.publish(sessionId) }
}

// What the operator does to a session of anybody at the command line: the public operation of its account, and a line in the audit log.

export type OperatorAct = 'unpublish' | 'delete'

export async function actAsOperator(
  parts: OwnerSessionsParts,
  id: string,
  act: OperatorAct,
  anyAccount: boolean,
): Promise<'done' | 'foreign' | 'unknown'> {
  const { store, ids, clock, accountId } = parts
  const session = await store.read.selectFrom('sessions').select('account_id').where('id', '=', id).executeTakeFirst()
  if (session === undefined) return 'unknown'
  if (session.account_id !== accountId && !anyAccount) return 'foreign'
  const sessions = ownerSessions({ ...parts, accountId: session.account_id })
  await (act === 'delete' ? sessions.remove(id) : sessions.unpublish(id))
  const about = { accountId: session.account_id, target: { kind: 'session', id } }
  const told: Act = act === 'delete' ? { action: 'session.deleted', ...about } : { action: 'session.unpublished', ...about }
  await store.write((tx) => recordAct(tx, ids, operator(clock.now()), told))
  return 'done'
}

// The talk at /join/welcome: the product presents itself. Published once, on an empty store; it is then a session like any other.

const slug = 'welcome'

/** Names the room when there is a welcome talk, made now or before. */
export async function publishWelcome(
  sessions: OwnerSessions,
  decks: Pick<DecksDeps, 'store' | 'blobs'>,
  baseUrl: string,
): Promise<{ title: string; url: string }[]> {
  const { store } = decks
  const any = await store.read.selectFrom('sessions').select('id').limit(1).executeTakeFirst()
  if (any === undefined) {
    const { sessionId } = await sessions.create({ ...welcomeDeck(baseUrl), publish: false })
    await pictureWelcome(decks, sessionId)
    await store.write((tx) => tx.updateTable('sessions').set({ slug }).where('id', '=', sessionId).execute())
    await sessions.publish(sessionId)
  }
  const welcome = await store.read
    .selectFrom('sessions')
    .select('title')
    .where('slug', '=', slug)
    .where('status', '=', 'published')
    .executeTakeFirst()
  return welcome === undefined ? [] : [{ title: welcome.title, url: `${baseUrl}/join/${slug}` }]
}
