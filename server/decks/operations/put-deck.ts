// Reads the body of an upload: multipart files, one raw file, or JSON slides. What a file is, its bytes say.
import { z } from 'zod'
import { limits, webUrl } from '@rostrum/contract/fields'
import { newSlide } from '@rostrum/contract/new-content'
import { sessionId } from '@rostrum/contract/session'
import type { Ids } from '@rostrum/base/clock'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import type { Outbound } from '../../platform/egress/outbound.ts'
import { ringAfter, type Tx } from '../../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { type Call, operation, scoped } from '../../platform/operation.ts'
import { invalidInput } from '../../platform/parse.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import { type SentBody, SentFile } from '../../platform/sent-file.ts'
import { ownSession, portraitUrl, deckTopic } from '../../sessions/session.ts'
import { fileKey } from '../../platform/blobs/blobs.ts'
import { sourceDigest, insertDeck } from '../deck-rows.ts'
import { holdStorage, type StorageLimit, fileWanted } from '../../sessions/storage.ts'
import { releaseBlobs, type SizedBlob, useBlobs } from '../../platform/blobs/blob-uses.ts'
import { checkAddresses, createFromSlides, createFromUrl, prepareSlides, slidesElsewhere } from '../create-content.ts'
import { notesAs, type NotesAs } from '../new-slide.ts'
import { pagesMax, type RenderedPage, type SourceKind } from '@rostrum/deck/protocol'
import { readDocument } from '@rostrum/deck/render/read-document'
import { sniffFile } from '@rostrum/deck/sniff'
import { deckView, viewDeck, type ViewDeckDeps } from './get-deck.ts'
import { readFiles, uploadBodyMaxBytes } from '../../platform/uploads.ts'

export const jsonMaxBytes = 16 * 1024 * 1024

const uploadTypes = [
  'multipart/form-data',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.oasis.opendocument.presentation',
  'application/vnd.ms-powerpoint',
  'image/png',
  'image/jpeg',
  'image/webp',
  'text/markdown',
  'application/octet-stream',
  'application/json',
] as const

async function readUpload(body: SentBody): Promise<Record<string, unknown>> {
  if (body.type === jsonType) {
    if (body.file.sizeBytes > jsonMaxBytes) throw new ServiceError('payload_too_large', 'The body is larger than 16 MiB.')
    return readJson(await body.file.bytes())
  }
  const { files, fields } = await readFiles(body)
  for (const file of files) await checkKind(file)
  const [{ name: fileName } = { name: '' }, ...others] = files
  const notesAs = fields?.get('notesAs')
  return {
    files,
    ...(fields !== undefined && others.length === 0 && { fileName }),
    ...(notesAs !== undefined && { notesAs }),
  }
}

const jsonType = 'application/json'

const otherTypes = /^(application\/(pdf|vnd\.(openxmlformats-officedocument|oasis\.opendocument|ms-powerpoint).*)|image\/.*)$/
const otherNames = /\.(pdf|pptx?|odp|png|jpe?g|webp)$/i

/** What a file is, its bytes say; but a message of some other server, kept under the name of a document, is no deck of Markdown. */
async function checkKind(file: SentFile): Promise<void> {
  if ((otherTypes.test(file.type) || otherNames.test(file.name)) && (await sniffFile(file)) === 'markdown')
    throw new ServiceError(
      'unsupported_media_type',
      'The file is plain text, not what its name or type says: send the document, or `text/markdown`.',
    )
}

function readJson(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalidInput([{ pointer: '#', detail: 'is not valid JSON.' }])
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidInput([{ pointer: '#', detail: 'send a JSON object.' }])
  // Files come as bytes only: a JSON member of that name means nothing.
  const { files: _, ...members } = value as Record<string, unknown>
  return members
}

// Replaces the deck of a session: a PDF, PPTX, pictures or Markdown to be read in the background, a `pdfUrl`, or JSON slides
// (`PUT .../deck`). The old version stays in service until the new one is ready.

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
  files: z.array(z.instanceof(SentFile)).min(1).max(pagesMax).describe('The parts named `file`.').optional(),
})

type Wanted = z.output<typeof input>

interface StoringDeps extends ViewDeckDeps {
  blobs: Pick<Blobs, 'put'>
  /** Of all decks of an account. */
  storageLimit: StorageLimit
}

interface PutDeckDeps extends StoringDeps {
  ids: Ids
  outbound: Pick<Outbound, 'vet'>
  /** Compiles the script once the caller has its answer. */
  scripts: { refresh(sessionId: string): void }
}

const taken = 'Send a PDF, a PowerPoint or OpenDocument presentation (.pptx, .ppt, .odp), PNG, JPEG or WebP pictures, or Markdown.'

/** One document, or any number of pictures. */
async function kindOf(files: readonly SentFile[]): Promise<SourceKind> {
  const kinds: SourceKind[] = []
  for (const file of files) {
    const kind = await sniffFile(file)
    if (kind === undefined) throw new ServiceError('unsupported_media_type', taken)
    kinds.push(kind === 'png' || kind === 'jpeg' || kind === 'webp' ? 'images' : kind)
  }
  const [first = 'images'] = kinds
  if (kinds.length > 1 && kinds.some((kind) => kind !== 'images'))
    throw invalidInput([{ pointer: '#/file', detail: 'send one document, or pictures only.' }])
  return first
}

/** Each is read from its spool while it is put. */
const putAtOnce = 8

async function putFiles(
  files: readonly SentFile[],
  fileName: string,
  owner: { sessionId: string; accountId: string; now: number; notesAs: NotesAs },
  deps: PutDeckDeps,
): Promise<void> {
  const kind = await kindOf(files)
  const extension = kind === 'images' || kind === 'markdown' ? 'bin' : kind
  // Durable before anybody hears of it: a deck that was accepted survives a crash.
  const { storageLimit } = deps
  const sized: SizedBlob[] = []
  for (const file of files) sized.push({ key: await fileKey(file, extension), sizeBytes: file.sizeBytes })
  // Looked at before anything is written too: what is refused would lie there for an hour.
  await deps.store.write((tx) => holdStorage(tx, storageLimit, owner.accountId, sized))
  const keys: string[] = []
  for (let at = 0; at < files.length; at += putAtOnce)
    keys.push(...(await Promise.all(files.slice(at, at + putAtOnce).map((file) => deps.blobs.put(file, extension)))))
  await deps.store.write(async (tx) => {
    await ownSession(tx, owner.accountId, owner.sessionId)
    await holdStorage(tx, storageLimit, owner.accountId, sized)
    const deck = await insertDeck(tx, deps.ids, {
      session_id: owner.sessionId,
      account_id: owner.accountId,
      kind,
      source_keys: JSON.stringify(keys),
      source_sha256: sourceDigest(kind, keys),
      sizeBytes: sized.reduce((sum, one) => sum + one.sizeBytes, 0),
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
  summary: 'Replace the deck of a session',
  description:
    'Send multipart with the part `file` (a PDF, a PPTX, PPT or ODP, or pictures in slide order), one such file as the body, or JSON `slides`. Files are read in the background: 202, then `GET` tells the progress. JSON slides are in service at once: 200.',
  access: scoped('sessions:write'),
  limit: 'upload',
  errors: ['unsupported_media_type', 'payload_too_large', 'url_not_allowed', 'limit_reached', 'temporarily_unavailable'],
  input,
  elsewhere: slidesElsewhere,
  before: fileWanted,
  run: async (wanted: Wanted, call, deps: PutDeckDeps) => {
    const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
    const owner = { sessionId: id, accountId: call.principal.accountId, now: call.now, notesAs: wanted.notesAs }
    const { slides, pdfUrl, files, fileName = '' } = wanted
    if (files !== undefined) await putFiles(files, fileName, owner, deps)
    else if (pdfUrl !== undefined || slides !== undefined) {
      await checkAddresses(deps, { slides: slides ?? [], pdfUrl })
      const prepared = pdfUrl === undefined ? await prepareSlides(slides ?? []) : []
      await deps.store.write(async (tx) => {
        await ownSession(tx, owner.accountId, id)
        if (pdfUrl === undefined) await createFromSlides(tx, owner, prepared, deps)
        else await holdStorage(tx, deps.storageLimit, owner.accountId, [])
        if (pdfUrl !== undefined) await createFromUrl(tx, owner, { pdfUrl, overrides: slides ?? [] }, deps)
      })
    } else throw invalidInput([{ pointer: '#/slides', detail: 'is required: send `slides`, a `pdfUrl`, or a file.' }])
    deps.scripts.refresh(id)
    return viewDeck(id, deps)
  },
  http: {
    method: 'PUT',
    path: '/api/v1/agent/sessions/{sessionId}/deck',
    status: { choices: [200, 202], of: ({ state }) => (state === 'ready' ? 200 : 202) },
    output: deckView,
    isKept: true,
    readBody: readUpload,
    bodyTypes: uploadTypes,
    bodyMax: uploadBodyMaxBytes,
  },
})

// The portrait of the presenter (`PUT`, `DELETE .../portrait`): one picture, decoded in the reader process like the pictures of slides,
// so that no byte of the upload reaches a browser. The session uses its blob as a deck uses those of its slides.

const portraitMaxBytes = 10 * 1024 * 1024
const portraitTaken = 'Send one PNG, JPEG or WebP picture.'

/** The smallest width that rooms get: it is shown at a few centimetres. */
async function drawn(file: Uint8Array, call: Call<AccountPrincipal>, deps: StoringDeps): Promise<RenderedPage['images'][number]> {
  let page: RenderedPage | undefined
  const sink = { total: async () => {}, page: async (read: RenderedPage) => void (page = read) }
  await readDocument({ kind: 'images', files: [file] }, sink, deps.clock, { signal: call.signal })
  const smallest = page?.images.at(-1)
  if (smallest !== undefined) return smallest
  throw invalidInput([{ pointer: '#/file', detail: page?.warnings?.at(-1)?.detail ?? 'The picture is damaged.' }])
}

async function setPortrait(tx: Tx, { id, now }: { id: string; now: number }, before: string | null, key: string | null): Promise<void> {
  if (before !== null && before !== key) await releaseBlobs(tx, id, now, [before])
  if (key !== null) await useBlobs(tx, id, [key])
  await tx.updateTable('sessions').set({ portrait_key: key, updated_at: now }).where('id', '=', id).execute()
}

const path = '/api/v1/agent/sessions/{sessionId}/portrait'

export const putPortrait = operation({
  name: 'put_portrait',
  summary: 'Set the portrait of the presenter',
  description:
    'One PNG, JPEG or WebP picture of at most 10 MiB and 40 megapixels, as the part `file` or the body itself. People in the room see it beside the name (`presenterName`) and the word "automated"; where nobody vouches for the session neither is shown.',
  access: scoped('sessions:write'),
  limit: 'upload',
  errors: ['unsupported_media_type', 'payload_too_large', 'limit_reached', 'temporarily_unavailable'],
  input: z.object({
    sessionId,
    files: z.array(z.instanceof(SentFile)).length(1, portraitTaken).describe('The part named `file`.').optional(),
  }),
  before: fileWanted,
  run: async (wanted, call, deps: StoringDeps) => {
    const { accountId } = call.principal
    const { id } = await ownSession(deps.store.read, accountId, wanted.sessionId)
    const [file] = wanted.files ?? []
    if (file === undefined) throw invalidInput([{ pointer: '#/file', detail: `is required. ${portraitTaken}` }])
    if (!['png', 'jpeg', 'webp'].includes((await sniffFile(file)) ?? '')) throw new ServiceError('unsupported_media_type', portraitTaken)
    if (file.sizeBytes > portraitMaxBytes) throw new ServiceError('payload_too_large', 'A portrait is at most 10 MiB.')
    const { bytes, extension } = await drawn(await file.bytes(), call, deps)
    const key = await deps.blobs.put(bytes, extension)
    await deps.store.write(async (tx) => {
      await holdStorage(tx, deps.storageLimit, accountId, [{ key, sizeBytes: bytes.length }])
      const { portrait_key } = await ownSession(tx, accountId, id)
      await setPortrait(tx, { id, now: call.now }, portrait_key, key)
    })
    return { imageUrl: portraitUrl(deps.mediaBase, key) }
  },
  http: {
    method: 'PUT',
    path,
    output: z.object({ imageUrl: z.string() }),
    isKept: true,
    readBody: readUpload,
    bodyTypes: ['multipart/form-data', 'image/png', 'image/jpeg', 'image/webp', 'application/octet-stream'],
    bodyMax: uploadBodyMaxBytes,
  },
})

export const deletePortrait = operation({
  name: 'delete_portrait',
  summary: 'Remove the portrait of the presenter',
  access: scoped('sessions:write'),
  input: z.object({ sessionId }),
  run: async (wanted: { sessionId: string }, call, deps: StoringDeps) =>
    deps.store.write(async (tx) => {
      const { id, portrait_key } = await ownSession(tx, call.principal.accountId, wanted.sessionId)
      await setPortrait(tx, { id, now: call.now }, portrait_key, null)
      return { deleted: portrait_key !== null }
    }),
  http: { method: 'DELETE', path, output: z.object({ deleted: z.boolean() }) },
})
