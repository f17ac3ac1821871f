// Sets how what an account publishes looks, and takes logos: fetched or sent once, drawn anew in the reader process, kept as a blob. A
// talk has its own as a setting (`update_session`).
import { z } from 'zod'
import { type Brand, brand } from '@rostrum/contract/brand'
import { paletteOf } from '@rostrum/contract/palette'
import type { Clock } from '@rostrum/base/clock'
import type { Store, Tx } from '../platform/db/store.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import { refusalWords } from '../platform/egress/destination.ts'
import { ServiceError } from '@rostrum/base/errors'
import { type Call, changes, operation, scoped } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import { SentFile } from '../platform/sent-file.ts'
import { logoKey, readBrand, shownBrand } from '../sessions/brand.ts'
import { type Blobs, ownKey } from '../platform/blobs/blobs.ts'
import { holdStorage, roomFor, type StorageLimit } from '../sessions/storage.ts'
import { releaseBlobs, type SizedBlob, useBlobs } from '../platform/blobs/blob-uses.ts'
import { fetchFile } from '../platform/egress/fetch-file.ts'
import { readFiles } from '../platform/uploads.ts'
import type { RenderedImage, RenderedPage } from '@rostrum/deck/protocol'
import { readDocument } from '@rostrum/deck/render/read-document'

/** What takes a logo. */
export interface LogoDeps {
  clock: Clock
  blobs: Pick<Blobs, 'find' | 'put'>
  outbound: Pick<Outbound, 'vet' | 'request'>
  /** The asset origin or the base URL, without a trailing slash. */
  mediaBase: string
}

interface CreateLogoDeps extends LogoDeps {
  store: Store
  storageLimit: StorageLimit
}

interface PutBrandDeps extends CreateLogoDeps {
  /** In the transaction of a change: kept in the audit log. */
  brandChanged(tx: Tx, call: Call, accountId: string): Promise<void>
}

const logoMaxBytes = 2 * 1024 * 1024
const fetchMs = 15_000
const logoTaken = 'Send one PNG, JPEG, WebP or SVG picture of at most 2 MiB.'

async function drawn(file: Uint8Array, pointer: string, signal: AbortSignal, { clock }: { clock: Clock }): Promise<RenderedImage> {
  let page: RenderedPage | undefined
  const sink = { total: async () => {}, page: async (read: RenderedPage) => void (page = read) }
  const outcome = await readDocument({ kind: 'logo', files: [file] }, sink, clock, { signal })
  const [image] = page?.images ?? []
  if (image !== undefined) return image
  const detail = page?.warnings?.at(-1)?.detail ?? (outcome.ok ? 'The picture is damaged.' : outcome.reason)
  throw invalidInput([{ pointer, detail: `${detail} ${logoTaken}` }])
}

async function fetched(url: string, pointer: string, deps: LogoDeps): Promise<Uint8Array> {
  const key = ownKey(url, deps.mediaBase)
  if (key !== undefined) {
    const kept = await deps.blobs.find(key)
    if (kept !== undefined) return kept
    throw invalidInput([{ pointer, detail: 'is an address of this service at which there is no picture any more. Send the logo again.' }])
  }
  const { ok } = await deps.outbound.vet(url)
  if (!ok) throw new ServiceError('url_not_allowed', refusalWords, { errors: [{ pointer, detail: refusalWords }] })
  const accept = 'image/svg+xml, image/png, image/webp, image/jpeg'
  const file = await fetchFile(deps.outbound, { url, what: 'logo', maxBytes: logoMaxBytes, accept, timeoutMs: fetchMs })
  if (file.ok) return file.bytes
  throw invalidInput([{ pointer, detail: file.words }])
}

interface Drawn {
  brand: Brand
  /** A logo that was put just now. */
  put?: SizedBlob
}

async function putLogo(file: Uint8Array, pointer: string, signal: AbortSignal, deps: LogoDeps) {
  const { bytes, extension, width, height, ink = '#000000' } = await drawn(file, pointer, signal, deps)
  const key = await deps.blobs.put(bytes, extension)
  return { put: { key, sizeBytes: bytes.length }, logoUrl: `${deps.mediaBase}/media/${key}`, logo: { width, height, ink } }
}

/** The brand with its logo drawn and put, before the transaction that takes it into use. Throws `url_not_allowed`, `invalid_request`. */
export async function drawnBrand(
  { logo: _, ...wanted }: Brand,
  before: Brand | null,
  { pointer, signal }: { pointer: string; signal: AbortSignal },
  deps: LogoDeps,
): Promise<Drawn> {
  const { logoUrl } = wanted
  if (logoUrl === undefined) return { brand: wanted }
  const key = ownKey(logoUrl, deps.mediaBase)
  if (key !== undefined && before?.logo !== undefined && logoKey(before) === key) return { brand: { ...wanted, logo: before.logo } }
  const { put, ...logo } = await putLogo(await fetched(logoUrl, pointer, deps), pointer, signal, deps)
  return { brand: { ...wanted, ...logo }, put }
}

/** In that transaction; `ownerId` uses the logo as a deck its pictures. Throws `limit_reached`. */
export async function takeLogo(
  tx: Tx,
  { ownerId, accountId, now }: { ownerId: string; accountId: string; now: number },
  before: Brand | null,
  { brand, put }: Drawn,
  { storageLimit }: { storageLimit: StorageLimit },
): Promise<void> {
  if (put !== undefined) await holdStorage(tx, storageLimit, accountId, [put])
  const [old, key] = [before === null ? undefined : logoKey(before), logoKey(brand)]
  if (old !== undefined && old !== key) await releaseBlobs(tx, ownerId, now, [old])
  if (key !== undefined) await useBlobs(tx, ownerId, [key])
}

// The brand of an account.

const output = brand.extend({ notes: z.array(z.string()).describe('What is shown otherwise, so that it can be read.') })
const told = (kept: Brand | null, mediaBase: string) => ({ ...shownBrand(kept, mediaBase), notes: [...paletteOf(kept ?? {}).notes] })

const path = '/api/v1/agent/brand'

export const getBrand = operation({
  name: 'get_brand',
  summary: 'Show the brand of the account',
  access: scoped('sessions:read'),
  input: z.object({}),
  run: async (_, { principal }, { store, mediaBase }: { store: Store; mediaBase: string }) => {
    const row = await store.read.selectFrom('accounts').select('brand').where('id', '=', principal.accountId).executeTakeFirstOrThrow()
    return told(readBrand(row.brand), mediaBase)
  },
  http: { method: 'GET', path, output },
})

export const putBrand = operation({
  name: 'put_brand',
  summary: 'Set the brand of the account',
  description:
    'Name, logo and two colours of rooms, pages, mails and films; a session may have its own (`brand` of `update_session`), which goes before it member by member. What is left out is taken back. Text keeps a contrast of 4.5:1 in light and dark: `notes` say which colours are shown otherwise for it.',
  access: scoped('sessions:write'),
  effects: { ...changes, openWorld: true },
  limit: 'upload',
  errors: ['forbidden', 'url_not_allowed', 'limit_reached'],
  input: brand,
  run: async (wanted, call, deps: PutBrandDeps) => {
    const { principal, now, signal } = call
    const { accountId } = principal
    if (principal.kind === 'user' && principal.role === 'member')
      throw new ServiceError('forbidden', 'This is for an admin of the account.')
    const ofAccount = deps.store.read.selectFrom('accounts').select(['brand', 'kind']).where('id', '=', accountId)
    const { brand: column, kind } = await ofAccount.executeTakeFirstOrThrow()
    if (kind === 'agent')
      throw new ServiceError('forbidden', 'Nobody vouches for this account yet, so it has no brand: have a person claim the agent first.')
    const ready = await drawnBrand(wanted, readBrand(column), { pointer: '#/logoUrl', signal }, deps)
    await deps.store.write(async (tx) => {
      const row = await tx.selectFrom('accounts').select('brand').where('id', '=', accountId).executeTakeFirstOrThrow()
      await takeLogo(tx, { ownerId: accountId, accountId, now }, readBrand(row.brand), ready, deps)
      await tx
        .updateTable('accounts')
        .set({ brand: Object.keys(ready.brand).length === 0 ? null : JSON.stringify(ready.brand) })
        .where('id', '=', accountId)
        .execute()
      await deps.brandChanged(tx, call, accountId)
    })
    return told(ready.brand, deps.mediaBase)
  },
  http: { method: 'PUT', path, output },
})

export const createLogo = operation({
  name: 'create_logo',
  summary: 'Send a logo',
  description:
    'One PNG, JPEG, WebP or SVG picture of at most 2 MiB, as the part `file` or the body itself. It is drawn anew, so that nothing of the file reaches a browser; of an SVG only shapes, text and colours. Set the answered `logoUrl` within an hour, in `put_brand` or as `brand` of a session.',
  access: scoped('sessions:write'),
  limit: 'upload',
  errors: ['payload_too_large', 'limit_reached'],
  input: z.object({ files: z.array(z.instanceof(SentFile)).length(1, logoTaken).describe('The part named `file`.').optional() }),
  before: (_, { principal }, { store, storageLimit }: CreateLogoDeps) => roomFor(store.read, storageLimit, principal.accountId, 0),
  run: async ({ files }, { principal, signal }, deps: CreateLogoDeps) => {
    const [file] = files ?? []
    if (file === undefined) throw invalidInput([{ pointer: '#/file', detail: `is required. ${logoTaken}` }])
    if (file.sizeBytes > logoMaxBytes) throw new ServiceError('payload_too_large', 'A logo is at most 2 MiB.')
    await deps.store.write((tx) => holdStorage(tx, deps.storageLimit, principal.accountId, []))
    const { put: _, ...logo } = await putLogo(await file.bytes(), '#/file', signal, deps)
    return logo
  },
  http: {
    method: 'POST',
    path: '/api/v1/agent/logos',
    output: brand.pick({ logoUrl: true, logo: true }).required(),
    isKept: true,
    readBody: async (body) => ({ files: (await readFiles(body)).files }),
    bodyTypes: ['multipart/form-data', 'image/png', 'image/jpeg', 'image/webp', 'image/svg+xml', 'application/octet-stream'],
    bodyMax: logoMaxBytes + 64 * 1024,
  },
})
