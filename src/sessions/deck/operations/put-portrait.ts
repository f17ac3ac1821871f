// The portrait of the presenter (`PUT`, `DELETE .../portrait`): one picture, decoded in the reader process like the pictures of slides,
// so that no byte of the upload reaches a browser. The session uses its blob as a deck uses those of its slides.
import { z } from 'zod'
import type { Tx } from '../../../platform/db/store.ts'
import { ServiceError } from '../../../platform/errors.ts'
import { type Call, changes, deletes, operation, scoped } from '../../../platform/operation.ts'
import { invalidInput } from '../../../platform/parse.ts'
import type { AccountPrincipal } from '../../../platform/principal.ts'
import { sessionId } from '../../../contract/session.ts'
import { portraitUrl } from '../../session-view.ts'
import { ownSession } from '../../session.ts'
import { releaseBlobs, useBlobs } from '../blobs/blob-uses.ts'
import { holdStorage } from '../blobs/stored-bytes.ts'
import type { DecksDeps } from '../deps.ts'
import type { RenderedPage } from '../render/protocol.ts'
import { readDocument } from '../render/read-document.ts'
import { sniff } from '../sniff.ts'
import { readUpload, uploadBodyMaxBytes } from './upload-body.ts'

const portraitMaxBytes = 10 * 1024 * 1024
const taken = 'Send one PNG, JPEG or WebP picture.'

const input = z.object({
  sessionId,
  files: z.array(z.instanceof(Uint8Array)).length(1, taken).describe('The part named `file`.').optional(),
})

async function put(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<{ imageUrl: string }> {
  const { accountId } = call.principal
  const { id } = await ownSession(deps.store.read, accountId, wanted.sessionId)
  const [file] = wanted.files ?? []
  if (file === undefined) throw invalidInput([{ pointer: '#/file', detail: `is required. ${taken}` }])
  if (!['png', 'jpeg', 'webp'].includes(sniff(file) ?? '')) throw new ServiceError('unsupported_media_type', taken)
  if (file.length > portraitMaxBytes) throw new ServiceError('payload_too_large', 'A portrait is at most 10 MiB.')
  const { bytes, extension } = await drawn(file, call, deps)
  const key = await deps.blobs.put(bytes, extension)
  await deps.store.write(async (tx) => {
    await holdStorage(tx, deps.storageLimit, accountId, [{ key, sizeBytes: bytes.length }])
    const { portrait_key } = await ownSession(tx, accountId, id)
    await setPortrait(tx, { id, now: call.now }, portrait_key, key)
  })
  return { imageUrl: portraitUrl(deps.mediaBase, key) }
}

/** The smallest width that rooms get: it is shown at a few centimetres. */
async function drawn(file: Uint8Array, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<RenderedPage['images'][number]> {
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

async function remove(wanted: { sessionId: string }, call: Call<AccountPrincipal>, deps: DecksDeps) {
  return deps.store.write(async (tx) => {
    const { id, portrait_key } = await ownSession(tx, call.principal.accountId, wanted.sessionId)
    await setPortrait(tx, { id, now: call.now }, portrait_key, null)
    return { deleted: portrait_key !== null }
  })
}

const path = '/api/v1/agent/sessions/{sessionId}/portrait'

export const putPortrait = operation({
  name: 'put_portrait',
  area: 'decks',
  summary: 'Set the portrait of the presenter',
  description:
    'One PNG, JPEG or WebP picture of at most 10 MiB and 40 megapixels, as the part `file` or the body itself. People in the room see it beside the name (`presenterName`) and the word "automated"; where nobody vouches for the session neither is shown.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'upload',
  errors: ['not_found', 'unsupported_media_type', 'payload_too_large', 'limit_reached'],
  input,
  run: put,
  http: {
    method: 'PUT',
    path,
    output: z.object({ imageUrl: z.string() }),
    view: (result) => result,
    readBody: readUpload,
    bodyTypes: ['multipart/form-data', 'image/png', 'image/jpeg', 'image/webp', 'application/octet-stream'],
    bodyMax: uploadBodyMaxBytes,
  },
})

export const deletePortrait = operation({
  name: 'delete_portrait',
  area: 'decks',
  summary: 'Remove the portrait of the presenter',
  access: scoped('sessions:write'),
  effects: deletes,
  limit: 'api',
  errors: ['not_found'],
  input: z.object({ sessionId }),
  run: remove,
  http: { method: 'DELETE', path, output: z.object({ deleted: z.boolean() }), view: (result) => result },
})
