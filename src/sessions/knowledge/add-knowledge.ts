// Adds the text of files to the knowledge of a session (`POST .../knowledge/files`): split into passages, behind those it has.
import { z } from 'zod'
import { limits } from '../../contract/fields.ts'
import { ringAfter } from '../../platform/db/transaction-context.ts'
import { ServiceError } from '../../platform/errors.ts'
import { type Call, creates, operation, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import { holdStorage } from '../deck/blobs/stored-bytes.ts'
import { insertPassages, tellCut } from '../deck/create-content.ts'
import { passagesOf } from '../deck/deck-in-service.ts'
import type { DecksDeps } from '../deck/deps.ts'
import { readNamedFiles, uploadBodyMaxBytes } from '../deck/operations/upload-body.ts'
import { deckTopic } from '../deck/topics.ts'
import { sessionId } from '../../contract/session.ts'
import { ownSession } from '../session.ts'
import { knowledgeView, showKnowledge } from './get-knowledge.ts'
import type { Section } from './prose.ts'
import { splitPassages } from './split-passages.ts'

const filesMax = 10

const input = z.object({
  sessionId,
  files: z
    .array(z.object({ name: z.string(), bytes: z.instanceof(Uint8Array) }))
    .min(1)
    .max(filesMax)
    .describe('The parts named `file`.'),
})

async function add(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: DecksDeps) {
  const { accountId } = call.principal
  const { id } = await ownSession(deps.store.read, accountId, wanted.sessionId)
  const sections: Section[] = []
  for (const file of wanted.files) sections.push(...(await deps.readKnowledge(file, call.signal)))
  const result = await deps.store.write(async (tx) => {
    await ownSession(tx, accountId, id)
    await holdStorage(tx, deps.storageLimit, accountId, [])
    await tx.updateTable('sessions').set({ updated_at: call.now }).where('id', '=', id).execute()
    const present = await tx.selectFrom('passages').select('position').where('session_id', '=', id).execute()
    const room = limits.passages - present.length
    const passages = room > 0 ? splitPassages(sections, room) : null
    if (passages === null) throw new ServiceError('limit_reached', roomWords(present.length))
    const behind = Math.max(-1, ...present.map(({ position }) => position)) + 1
    if (await insertPassages(tx, id, passages, behind, deps)) await tellCut(tx, id, true)
    ringAfter(tx, deckTopic(id))
    const added = { passages: await passagesOf(tx, id), added: passages.length }
    await call.doneIn?.(tx, added)
    return added
  })
  deps.scripts.refresh(id)
  return result
}

function roomWords(present: number): string {
  return `The session has ${present} of ${limits.passages} passages, and the text does not fit into what is left. Remove some, or send less.`
}

export const addKnowledge = operation({
  name: 'add_knowledge',
  area: 'decks',
  summary: 'Add files to the knowledge of a session',
  description:
    'Send multipart with the parts `file`, at most 10, or one file as the body: PDF (the text of its pages), Markdown or plain text (at most 1 MiB). What a file is, its bytes say. Headings and paragraphs become passages behind those that are there; comments of Markdown are left out. Passages are public to people in the room: they are quoted.',
  access: scoped('sessions:write'),
  effects: creates,
  limit: 'upload',
  errors: ['not_found', 'unsupported_media_type', 'payload_too_large', 'limit_reached'],
  input,
  run: add,
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/knowledge/files',
    output: knowledgeView.extend({ added: z.number() }),
    view: ({ passages, added }) => ({ ...showKnowledge(passages), added }),
    readBody: readNamedFiles,
    bodyTypes: ['multipart/form-data', 'application/pdf', 'text/markdown', 'text/plain', 'application/octet-stream'],
    bodyMax: uploadBodyMaxBytes,
  },
})
