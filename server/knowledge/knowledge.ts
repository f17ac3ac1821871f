// The background passages of a session, which the presenter may quote (Spec 2.3 `knowledgeBase`).
import { z } from 'zod'
import { type Call, operation, scoped } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { passagesOf, insertPassages, preparePassages, replacePassages } from './passage-rows.ts'
import { deckTopic, ownSession } from '../sessions/session.ts'
import type { Passage } from '@rostrum/contract/content'
import type { Ids } from '@rostrum/base/clock'
import { type NewPassage, newPassage } from '@rostrum/contract/new-content'
import { sessionId } from '@rostrum/contract/session'
import { limits } from '@rostrum/contract/fields'
import { ringAfter, type Store, type Tx } from '../platform/db/store.ts'
import { ServiceError, unclaimedError } from '@rostrum/base/errors'
import { SentFile } from '../platform/sent-file.ts'
import { holdStorage, fileWanted, type StorageLimit } from '../sessions/storage.ts'
import { readFiles, uploadBodyMaxBytes } from '../platform/uploads.ts'

/** What a change of the passages needs. */
interface ChangeDeps {
  store: Store
  ids: Ids
  /** Says on the deck in service whether passages were cut. The caller holds the session. */
  tellCut(tx: Tx, sessionId: string, isCut: boolean): Promise<void>
  /** Compiles the script once the caller has its answer. */
  scripts: { refresh(sessionId: string): void }
}

/** What agents have that nobody has claimed. */
interface UnclaimedBounds {
  /** Of the knowledge files of one call; null: as everybody. */
  knowledgeBytes: number | null
  /** Where a person claims the agent of an account. */
  claimUriOf(accountId: string, now: number): Promise<string | undefined>
}

interface FilesDeps extends ChangeDeps {
  storageLimit: StorageLimit
  unclaimed: UnclaimedBounds
  /** Passages of all files, at most `room`; null where they do not fit. */
  readKnowledge(files: readonly SentFile[], room: number, signal: AbortSignal): Promise<NewPassage[] | null>
}

const knowledgeView = z.object({
  passages: z.array(z.object({ id: z.string(), index: z.number(), title: z.string().optional(), content: z.string() })),
  count: z.number(),
})

function showKnowledge(passages: readonly Passage[]): z.output<typeof knowledgeView> {
  return { passages: passages.map((passage) => ({ ...passage })), count: passages.length }
}

export const getKnowledge = operation({
  name: 'get_knowledge',
  summary: 'Show the knowledge of a session',
  access: scoped('sessions:read'),
  input: z.object({ sessionId }),
  run: async (wanted, call, { store }: { store: Store }) => {
    const session = await ownSession(store.read, call.principal.accountId, wanted.sessionId)
    return passagesOf(store.read, session.id)
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/knowledge',
    output: knowledgeView,
    view: (passages) => showKnowledge(passages),
  },
})

// Replaces the background passages of a session (`PUT .../knowledge`). Public to people in its room.

export const putKnowledge = operation({
  name: 'put_knowledge',
  summary: 'Replace the knowledge of a session',
  access: scoped('sessions:write'),
  errors: ['payload_too_large'],
  input: z.object({
    sessionId,
    passages: z
      .array(newPassage.extend({ id: z.uuid().describe('Id of a passage to keep; default a new one.').optional() }))
      .max(limits.passages)
      .describe('All passages, in order.'),
  }),
  before: ({ sessionId: id }, { principal }, { store }: ChangeDeps) => ownSession(store.read, principal.accountId, id),
  run: async (wanted, call, deps: ChangeDeps) => {
    await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
    const passages = await preparePassages(wanted.passages)
    const id = await deps.store.write(async (tx) => {
      const session = await ownSession(tx, call.principal.accountId, wanted.sessionId)
      await deps.tellCut(tx, session.id, await replacePassages(tx, session.id, passages, deps))
      await tx.updateTable('sessions').set({ updated_at: call.now }).where('id', '=', session.id).execute()
      ringAfter(tx, deckTopic(session.id))
      return session.id
    })
    deps.scripts.refresh(id)
    return passagesOf(deps.store.read, id)
  },
  http: {
    method: 'PUT',
    path: '/api/v1/agent/sessions/{sessionId}/knowledge',
    bodyMax: 16 * 1024 * 1024,
    output: knowledgeView,
    view: (passages) => showKnowledge(passages),
  },
})

// Adds the text of files to the knowledge of a session (`POST .../knowledge/files`): split into passages, behind those it has.

const filesMax = 10

function roomWords(present: number): string {
  return `The session has ${present} of ${limits.passages} passages, and the text does not fit into what is left. Remove some, or send less.`
}

/** What is around the files in a form. */
const partsBytes = 64 * 1024

async function checkUnclaimed(
  { principal, now }: Call<AccountPrincipal>,
  sizeBytes: number,
  { unclaimed }: { unclaimed: UnclaimedBounds },
): Promise<void> {
  const { knowledgeBytes, claimUriOf } = unclaimed
  if (!('isUnclaimed' in principal) || knowledgeBytes === null || sizeBytes <= knowledgeBytes) return
  const words = `The knowledge files of an unclaimed agent are at most ${knowledgeBytes / 1_048_576} MiB in one call.`
  throw unclaimedError('payload_too_large', words, await claimUriOf(principal.accountId, now))
}

export const addKnowledge = operation({
  name: 'add_knowledge',
  summary: 'Add files to the knowledge of a session',
  description:
    'Send multipart with the parts `file`, at most 10, or one file as the body: PDF (the text of its pages), Markdown or plain text (at most 1 MiB). What a file is, its bytes say. Headings and paragraphs become passages behind those that are there; comments of Markdown are left out. Passages are public to people in the room: they are quoted.',
  access: scoped('sessions:write'),
  limit: 'upload',
  errors: ['unsupported_media_type', 'payload_too_large', 'limit_reached'],
  input: z.object({
    sessionId,
    files: z.array(z.instanceof(SentFile)).min(1).max(filesMax).describe('The parts named `file`.'),
  }),
  async before(wanted, call, deps: FilesDeps, head) {
    await checkUnclaimed(call, (head.sizeBytes ?? 0) - partsBytes, deps)
    await fileWanted(wanted, call, deps, head)
  },
  run: async (wanted, call, deps: FilesDeps) => {
    const { accountId } = call.principal
    const sizeBytes = wanted.files.reduce((sum, file) => sum + file.sizeBytes, 0)
    await checkUnclaimed(call, sizeBytes, deps)
    const { id } = await ownSession(deps.store.read, accountId, wanted.sessionId)
    const before = await deps.store.read.selectFrom('passages').select('position').where('session_id', '=', id).execute()
    const read = await deps.readKnowledge(wanted.files, limits.passages - before.length, call.signal)
    if (read === null) throw new ServiceError('limit_reached', roomWords(before.length))
    const passages = await preparePassages(read)
    const result = await deps.store.write(async (tx) => {
      await ownSession(tx, accountId, id)
      await holdStorage(tx, deps.storageLimit, accountId, [])
      await tx.updateTable('sessions').set({ updated_at: call.now }).where('id', '=', id).execute()
      const present = await tx.selectFrom('passages').select('position').where('session_id', '=', id).execute()
      // Others may have added some meanwhile.
      if (passages.length > limits.passages - present.length) throw new ServiceError('limit_reached', roomWords(present.length))
      const behind = Math.max(-1, ...present.map(({ position }) => position)) + 1
      if (await insertPassages(tx, id, passages, behind, deps)) await deps.tellCut(tx, id, true)
      ringAfter(tx, deckTopic(id))
      const added = { passages: await passagesOf(tx, id), added: passages.length }
      await call.doneIn?.(tx, added)
      return added
    })
    deps.scripts.refresh(id)
    return result
  },
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/knowledge/files',
    output: knowledgeView.extend({ added: z.number() }),
    view: ({ passages, added }) => ({ ...showKnowledge(passages), added }),
    isKept: true,
    readBody: async (body) => ({ files: (await readFiles(body)).files }),
    bodyTypes: ['multipart/form-data', 'application/pdf', 'text/markdown', 'text/plain', 'application/octet-stream'],
    bodyMax: uploadBodyMaxBytes,
  },
})
