// Replaces the deck of a session: a PDF, PPTX, pictures or Markdown to be read in the background, a `pdfUrl`, or JSON slides
// (`PUT .../deck`). The old version stays in service until the new one is ready.
import { z } from 'zod'
import { limits, webUrl } from '../../../contract/fields.ts'
import { ringAfter } from '../../../platform/db/transaction-context.ts'
import { ServiceError } from '../../../platform/errors.ts'
import { type Call, changes, operation, scoped } from '../../../platform/operation.ts'
import { invalidInput } from '../../../platform/parse.ts'
import type { AccountPrincipal } from '../../../platform/principal.ts'
import { newSlide } from '../../../contract/new-content.ts'
import { sessionId } from '../../../contract/session.ts'
import { ownSession } from '../../session.ts'
import { useBlobs } from '../blobs/blob-uses.ts'
import { blobKey } from '../blobs/blobs.ts'
import { sourceDigest } from '../blobs/source-digest.ts'
import { holdStorage } from '../blobs/stored-bytes.ts'
import { checkAddresses, createFromSlides, createFromUrl, prepareSlides } from '../create-content.ts'
import { insertDeck } from '../deck-rows.ts'
import type { DecksDeps } from '../deps.ts'
import { notesAs, type NotesAs } from '../notes-as.ts'
import { pagesMax, type SourceKind } from '../render/protocol.ts'
import { sniff } from '../sniff.ts'
import { deckTopic } from '../topics.ts'
import { type DeckView, deckView, viewDeck } from './deck-view.ts'
import { readUpload, uploadBodyMaxBytes, uploadTypes } from './upload-body.ts'

const input = z.object({
  sessionId,
  slides: z
    .array(newSlide.extend({ id: z.uuid().describe('Id of a present slide, which keeps its identity.').optional() }))
    .max(limits.slides)
    .optional(),
  pdfUrl: webUrl.describe('Address of a PDF, PPTX, PPT or ODP; with `slides`, those override text and notes of its pages.').optional(),
  notesAs: notesAs
    .default('private')
    .describe('`narration`: the notes of the file, or of `slides`, are said: copied into `narration`, and public.'),
  fileName: z.string().max(1_000).describe('Taken from the part: a talk of that name takes the title of its deck.').optional(),
  files: z.array(z.instanceof(Uint8Array)).min(1).max(pagesMax).describe('The parts named `file`.').optional(),
})

type Wanted = z.output<typeof input>

async function put(wanted: Wanted, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<DeckView> {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  const owner = { sessionId: id, accountId: call.principal.accountId, now: call.now, notesAs: wanted.notesAs }
  const { slides, pdfUrl, files, fileName = '' } = wanted
  if (files !== undefined) await putFiles(files, fileName, owner, deps)
  else if (pdfUrl !== undefined || slides !== undefined) {
    await checkAddresses(deps, { slides: slides ?? [], pdfUrl })
    await prepareSlides(slides ?? [])
    await deps.store.write(async (tx) => {
      await ownSession(tx, owner.accountId, id)
      if (pdfUrl === undefined) await createFromSlides(tx, owner, slides ?? [], deps)
      else await holdStorage(tx, deps.storageLimit, owner.accountId, [])
      if (pdfUrl !== undefined) await createFromUrl(tx, owner, { pdfUrl, overrides: slides ?? [] }, deps)
    })
  } else throw invalidInput([{ pointer: '#/slides', detail: 'is required: send `slides`, a `pdfUrl`, or a file.' }])
  deps.scripts.refresh(id)
  return viewDeck(deps.store.read, id, deps.mediaBase)
}

const taken = 'Send a PDF, a PowerPoint or OpenDocument presentation (.pptx, .ppt, .odp), PNG, JPEG or WebP pictures, or Markdown.'

/** One document, or any number of pictures. */
function kindOf(files: readonly Uint8Array[]): SourceKind {
  const kinds = files.map((file) => {
    const kind = sniff(file)
    if (kind === undefined) throw new ServiceError('unsupported_media_type', taken)
    return kind === 'png' || kind === 'jpeg' || kind === 'webp' ? 'images' : kind
  })
  const [first = 'images'] = kinds
  if (kinds.length > 1 && kinds.some((kind) => kind !== 'images'))
    throw invalidInput([{ pointer: '#/file', detail: 'send one document, or pictures only.' }])
  return first
}

async function putFiles(
  files: readonly Uint8Array[],
  fileName: string,
  owner: { sessionId: string; accountId: string; now: number; notesAs: NotesAs },
  deps: DecksDeps,
): Promise<void> {
  const kind = kindOf(files)
  const extension = kind === 'images' || kind === 'markdown' ? 'bin' : kind
  // Durable before anybody hears of it: a deck that was accepted survives a crash.
  const { storageLimit } = deps
  const sized = files.map((file) => ({ key: blobKey(file, extension), sizeBytes: file.length }))
  // Looked at before anything is written too: what is refused would lie there for an hour.
  await deps.store.write((tx) => holdStorage(tx, storageLimit, owner.accountId, sized))
  const keys = await Promise.all(files.map((file) => deps.blobs.put(file, extension)))
  await deps.store.write(async (tx) => {
    await ownSession(tx, owner.accountId, owner.sessionId)
    await holdStorage(tx, storageLimit, owner.accountId, sized)
    const deck = await insertDeck(tx, deps.ids, {
      session_id: owner.sessionId,
      account_id: owner.accountId,
      kind,
      source_keys: JSON.stringify(keys),
      source_sha256: sourceDigest(kind, keys),
      file_name: fileName,
      notes_as: owner.notesAs,
      created_at: owner.now,
    })
    await useBlobs(tx, deck.id, keys)
    ringAfter(tx, deckTopic(owner.sessionId))
  })
}

export const putDeck = operation({
  name: 'put_deck',
  area: 'decks',
  summary: 'Replace the deck of a session',
  description:
    'Send multipart with the part `file` (a PDF, a PPTX, PPT or ODP, or pictures in slide order), one such file as the body, or JSON `slides`. Files are read in the background: 202, then `GET` tells the progress. JSON slides are in service at once: 200.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'upload',
  errors: ['not_found', 'unsupported_media_type', 'payload_too_large', 'url_not_allowed', 'limit_reached'],
  input,
  run: put,
  http: {
    method: 'PUT',
    path: '/api/v1/agent/sessions/{sessionId}/deck',
    status: { choices: [200, 202], of: ({ state }) => (state === 'ready' ? 200 : 202) },
    output: deckView,
    view: (view) => view,
    readBody: readUpload,
    bodyTypes: uploadTypes,
    bodyMax: uploadBodyMaxBytes,
  },
})
