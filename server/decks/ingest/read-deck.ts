// Makes the slides of a claimed deck from its file: fetch where it comes from an address, reuse the pages of an equal file of
// the account, else read it page by page; then one transaction puts it in service. A failure leaves the old deck there.
import { z } from 'zod'
import { append } from '../../platform/db/domain-events.ts'
import { addJob } from '../../platform/db/jobs.ts'
import { ringAfter, type Store, type Tx } from '../../platform/db/store.ts'
import { limits } from '@rostrum/contract/fields'
import { titleOfFile } from '@rostrum/contract/file-title'
import { holdSession, type Session, deckTopic } from '../../sessions/session.ts'
import { readImages, writeImages } from '../slide-images.ts'
import { sourceDigest, deckKind, findDeck, insertSlides, putInService, type Slide, slidesWithNotes } from '../deck-rows.ts'
import { holdStorage, type StorageLimit } from '../../sessions/storage.ts'
import { releaseBlobs, useBlobs } from '../../platform/blobs/blob-uses.ts'
import { boundedSlide, keepIds, slideCut, slideTitle, underNotesAs, writtenReading } from '../new-slide.ts'
import { followLanguage } from '../follow-language.ts'
import { confidenceOf, readReading } from '@rostrum/deck/block'
import type { Clock, Ids } from '@rostrum/base/clock'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import type { Outbound } from '../../platform/egress/outbound.ts'
import { protectedWords } from '@rostrum/deck/office/package'
import { isToRecognise, recognisePages, storeRecognised, storeRepeated } from './recognise-pages.ts'
import { isPresentation, type Office } from '@rostrum/deck/render/office'
import type { RenderedPage, SourceKind } from '@rostrum/deck/protocol'
import { readDocument, type ReadOptions } from '@rostrum/deck/render/read-document'
import { type DeckWarning, readWarnings } from '@rostrum/deck/warnings'
import { isProtected, sniff } from '@rostrum/deck/sniff'
import { type Claimed, putImages, updateClaimed } from './claimed.ts'
import { fetchFile } from '../../platform/egress/fetch-file.ts'

const sourceMaxBytes = 50 * 1024 * 1024
const keyList = z.array(z.string())
const overrideList = z.array(
  z.object({
    title: z.string().optional(),
    textContent: z.string().optional(),
    agentNotes: z.string().optional(),
    narration: z.string().optional(),
  }),
)

export interface ReadDeckDeps {
  store: Store
  clock: Clock
  ids: Ids
  blobs: Blobs
  /** Of all decks of an account. */
  storageLimit: StorageLimit
  outbound: Pick<Outbound, 'request'>
  /** Where something here draws presentations as they look; the signal calls it off. */
  convert?: Office['convert']
  /** Compiles the script in the background. */
  scripts: { refresh(sessionId: string): void }
}

interface SoFar {
  warnings: DeckWarning[]
  /** Pages that are stored and whose picture is still to be read. */
  waiting: number
}

export async function readDeck(deck: Claimed, deps: ReadDeckDeps, options: ReadOptions): Promise<void> {
  const source = await sourceOf(deck, deps)
  if (!source.ok) return fail(deck, source.words, deps)
  // Known from its first look: no program is started for it.
  if (source.files.some(isProtected)) return fail(deck, protectedWords, deps)
  // An address may hold a presentation: it waits among those, its file kept.
  if (isPresentation(source.kind) && !isPresentation(deck.kind)) return handOver(deck, deps)
  const isDrawn = isPresentation(source.kind) && deps.convert !== undefined
  const digest = isDrawn ? sourceDigest('drawn', [source.digest]) : source.digest
  if (await reusePages(deck, digest, deps)) return finish(deck, deps)
  const sofar: SoFar = { warnings: [], waiting: 0 }
  const modern = isWrittenAnew(source.kind) ? await modernized(source, source.kind, deps, options) : source
  if (!modern.ok) return fail(deck, modern.words, deps)
  const outcome = await readDocument(
    isDrawn ? await draw(deck, { ...modern, digest }, source, sofar.warnings, deps, options) : modern,
    {
      total: (total) => update(deck, { progress_total: total }, deps),
      page: (page) => storePage(deck, page, sofar, deps),
    },
    deps.clock,
    options,
  )
  if (!outcome.ok) return fail(deck, outcome.reason, deps)
  if (sofar.waiting > 0) await recognise(deck, sofar, deps, options)
  return finish(deck, deps)
}

/** Adds the PDF that was drawn of the presentation; where none was, the owner is told why and the file is read as it is. */
async function draw(
  deck: Claimed,
  modern: Readable,
  { kind, files }: Readable,
  warnings: DeckWarning[],
  deps: ReadDeckDeps,
  { signal }: ReadOptions,
): Promise<Readable> {
  if (!isPresentation(kind)) return modern
  // A second long work of the same claim.
  if (isWrittenAnew(kind)) await update(deck, {}, deps)
  const drawn = await deps.convert?.({ file: files[0] ?? new Uint8Array(), extension: kind, to: 'pdf' }, signal)
  if (drawn?.ok === true) {
    await update(deck, { source_sha256: modern.digest }, deps)
    return { ...modern, files: [...modern.files, drawn.file] }
  }
  if (drawn !== undefined) warnings.push({ index: 0, isOfDeck: true, code: 'drawn_without_pictures', detail: drawn.words })
  return modern
}

const formatWords = { ppt: 'of PowerPoint 2003 or older (.ppt)', odp: 'an OpenDocument presentation (.odp)' }
const isWrittenAnew = (kind: SourceKind): kind is keyof typeof formatWords => kind in formatWords

/** Formats that no reader of ours knows are written anew, and read as what comes of it. */
async function modernized(source: Readable, kind: keyof typeof formatWords, deps: ReadDeckDeps, { signal }: ReadOptions): Promise<Source> {
  const written = await deps.convert?.({ file: source.files[0] ?? new Uint8Array(), extension: kind, to: 'pptx' }, signal)
  if (written?.ok === true) return { ...source, kind: 'pptx', files: [written.file] }
  const cause = written === undefined ? 'is not installed here' : written.cause
  return {
    ok: false,
    words: `The file is ${formatWords[kind]}, and the program that opens those ${cause}. Save it as .pptx, without a password.`,
  }
}

/** Reads the words of pictures where the pages have none; each page that waited for it counts as done then. */
async function recognise(deck: Claimed, sofar: SoFar, deps: ReadDeckDeps, options: ReadOptions): Promise<void> {
  const { progress_total: total = 0 } = (await findDeck(deps.store.read, deck.id)) ?? {}
  await recognisePages(
    deck,
    async (page) => {
      sofar.waiting--
      await deps.store.write(async (tx) => {
        await updateClaimed(tx, deck, { progress_done: total - sofar.waiting })
        await storeRecognised(tx, page)
        ringAfter(tx, deckTopic(deck.session_id))
      })
    },
    deps,
    options,
  )
  await deps.store.write(async (tx) => {
    await updateClaimed(tx, deck)
    await storeRepeated(tx, deck.id)
  })
}

function handOver(deck: Claimed, deps: ReadDeckDeps): Promise<void> {
  return deps.store.write(async (tx) => {
    await updateClaimed(tx, deck, { state: 'pending' })
    await addJob(tx, deckKind.presentation, { key: deck.id, dueAt: deps.clock.now() })
  })
}

type Readable = { ok: true; kind: SourceKind; files: readonly Uint8Array[]; digest: string }
type Source = Readable | { ok: false; words: string }

async function sourceOf(deck: Claimed, deps: ReadDeckDeps): Promise<Source> {
  const keys = keyList.parse(JSON.parse(deck.source_keys))
  if (keys.length === 0 && deck.source_url !== null) return fetchSource(deck, deck.source_url, deps)
  const files: Uint8Array[] = []
  for (const key of keys) {
    const bytes = await deps.blobs.find(key)
    if (bytes === undefined) return { ok: false, words: 'The uploaded file is no longer there. Send it again.' }
    files.push(bytes)
  }
  const kind = deck.kind === 'slides' ? 'pdf' : deck.kind
  return { ok: true, kind, files, digest: sourceDigest(kind, keys) }
}

async function fetchSource(deck: Claimed, url: string, deps: ReadDeckDeps): Promise<Source> {
  const accept = 'application/pdf, application/vnd.openxmlformats-officedocument.presentationml.presentation;q=0.9, */*;q=0.1'
  const fetched = await fetchFile(deps.outbound, { url, what: 'file', maxBytes: sourceMaxBytes, accept })
  if (!fetched.ok) return fetched
  const kind = sniff(fetched.bytes)
  if (
    kind !== 'pdf' &&
    (kind === undefined || kind === 'png' || kind === 'jpeg' || kind === 'webp' || kind === 'markdown' || !isPresentation(kind))
  )
    return { ok: false, words: 'The address holds no PDF, PowerPoint or OpenDocument presentation.' }
  // Kept before it is read: after a restart the file need not be fetched again.
  const key = await deps.blobs.put(fetched.bytes, kind)
  const digest = sourceDigest(kind, [key])
  await deps.store.write(async (tx) => {
    await holdStorage(tx, deps.storageLimit, deck.account_id, [{ key, sizeBytes: fetched.bytes.length }])
    await updateClaimed(tx, deck, { kind, source_keys: JSON.stringify([key]), source_sha256: digest })
    await useBlobs(tx, deck.id, [key])
  })
  return { ok: true, kind, files: [fetched.bytes], digest }
}

function update(deck: Claimed, change: Parameters<typeof updateClaimed>[2], deps: ReadDeckDeps): Promise<void> {
  return deps.store.write(async (tx) => {
    await updateClaimed(tx, deck, change)
    ringAfter(tx, deckTopic(deck.session_id))
  })
}

/** Copies the pages of a finished deck made from the same file, of this account alone: a digest reveals nobody else's. */
async function reusePages(deck: Claimed, digest: string, deps: ReadDeckDeps): Promise<boolean> {
  return deps.store.write(async (tx) => {
    // The deck before its slides, as for every page and at its removal.
    await updateClaimed(tx, deck)
    const same = await tx
      .selectFrom('decks')
      .select(['id', 'warnings', 'overrides'])
      .where('account_id', '=', deck.account_id)
      .where('source_sha256', '=', digest)
      .where('state', '=', 'ready')
      .where('overrides', 'is', null)
      .limit(1)
      .executeTakeFirst()
    await tx.deleteFrom('slides').where('deck_id', '=', deck.id).execute()
    if (same === undefined) return false
    const pages = await slidesWithNotes(tx, same.id)
    // Removed since the look for it.
    if (pages.length === 0) return false
    const overrides = overridesOf(deck).map(boundedSlide)
    await insertSlides(
      tx,
      pages.map((page) =>
        override(
          { ...page, deck_id: deck.id, id: deps.ids.uuid(), narration: '', cited: '', is_silent: 0 },
          overrides[page.position]?.slide ?? {},
        ),
      ),
    )
    const cuts = overrides.slice(0, pages.length).flatMap(({ isCut }, index) => (isCut ? [slideCut(index)] : []))
    const warnings = cuts.length === 0 ? same.warnings : JSON.stringify([...readWarnings(same.warnings), ...cuts])
    const change = { progress_done: pages.length, progress_total: pages.length, warnings }
    await updateClaimed(tx, deck, change)
    return true
  })
}

function overridesOf(deck: Claimed): z.output<typeof overrideList> {
  return deck.overrides === null ? [] : overrideList.parse(JSON.parse(deck.overrides))
}

/** Text, title and notes given together with the `pdfUrl` win over what the page says. */
function override(slide: Slide, given: z.output<typeof overrideList>[number]): Slide {
  const text_content = given.textContent ?? slide.text_content
  // Of a page nobody wrote anything for, the reader has said what its title is, or that it has none.
  const isKept = given.title === undefined && given.textContent === undefined
  const title = isKept ? slide.title : slideTitle(given.title, text_content)
  const isSpoken = given.textContent !== undefined && text_content.trim() !== ''
  return {
    ...slide,
    text_content,
    title,
    reading:
      text_content === slide.text_content && title === slide.title
        ? slide.reading
        : writtenReading(text_content, title, given.title, given.textContent !== undefined),
    agent_notes: given.agentNotes ?? slide.agent_notes,
    narration: given.narration ?? slide.narration,
    state: isSpoken && slide.state === 'no_text' ? 'ok' : slide.state,
  }
}

async function storePage(deck: Claimed, page: RenderedPage, sofar: SoFar, deps: ReadDeckDeps): Promise<void> {
  const { images, sized } = await putImages(page.images, deps)
  sofar.warnings.push(...(page.warnings ?? []).map((warning) => ({ index: page.index, ...warning })))
  const bounded = boundedSlide({ textContent: page.text, agentNotes: page.notes })
  const given = boundedSlide(overridesOf(deck)[page.index] ?? {})
  if (bounded.isCut || given.isCut) sofar.warnings.push(slideCut(page.index))
  const { textContent: text, agentNotes: notes } = bounded.slide
  // A reader that finds no title has looked for one: the first line is none.
  const title = page.reading === undefined ? slideTitle(page.title, text) : page.title
  // Places in a text that was cut are no longer where they were.
  const reading = text === page.text ? page.reading : undefined
  const read: Slide = {
    deck_id: deck.id,
    id: deps.ids.uuid(),
    position: page.index,
    title,
    text_content: text,
    agent_notes: notes,
    narration: '',
    cited: '',
    is_silent: 0,
    image_url: null,
    image_state: images.length > 0 ? 'ready' : 'none',
    images: writeImages(images),
    reading: reading === undefined ? writtenReading(text, title, page.title) : JSON.stringify(reading),
    state: page.state,
  }
  const slide = override(read, given.slide)
  if (isToRecognise(slide)) sofar.waiting++
  const change = { progress_done: page.index + 1 - sofar.waiting, warnings: JSON.stringify(sofar.warnings) }
  await deps.store.write(async (tx) => {
    if (sized.length > 0) await holdStorage(tx, deps.storageLimit, deck.account_id, sized)
    await updateClaimed(tx, deck, change)
    await insertSlides(tx, [slide])
    ringAfter(tx, deckTopic(deck.session_id))
  })
}

/** Gives slides the ids of the deck in service where they are the same, and takes its place. */
async function finish(deck: Claimed, deps: ReadDeckDeps): Promise<void> {
  const now = deps.clock.now()
  await deps.store.write(async (tx) => {
    // Before the deck: whoever sends another deck holds the session and then waits for this one, to end it.
    const session = await holdSession(tx, deck.session_id)
    const slides = await slidesWithNotes(tx, deck.id)
    // Pages that were copied brought their warnings; of the language each session has its own.
    const row = await findDeck(tx, deck.id)
    const read = readWarnings(row?.warnings ?? '[]').filter(({ code }) => code !== 'language_differs')
    const all = [...read, ...(await followLanguage(tx, deck.session_id, slides))]
    const change = {
      state: 'ready' as const,
      progress_done: slides.length,
      finished_at: now,
      warnings: JSON.stringify(all),
    }
    await updateClaimed(tx, deck, change)
    await releaseSource(tx, deck, now)
    if (session !== undefined) await followTitle(tx, session, row?.file_name ?? '', slides)
    const before = session?.deck_id ? await slidesWithNotes(tx, session.deck_id) : []
    const identified = (slide: Slide) => ({ id: slide.id, text: slide.text_content, imageKey: readImages(slide.images)[0]?.key })
    const kept = keepIds(before.map(identified), slides.map(identified), () => deps.ids.uuid())
    await tx.deleteFrom('slides').where('deck_id', '=', deck.id).execute()
    await insertSlides(
      tx,
      slides
        .map((slide, index) => withNarration(corrected({ ...slide, id: kept[index] ?? slide.id }, before), before))
        .map((slide) => underNotesAs(slide, row?.notes_as ?? 'private')),
    )
    await putInService(tx, deck, slides.length, now)
    const told = { version: deck.version, slidesCount: slides.length, warningsCount: all.length }
    await append(tx, { ...deckEvent(deck, 'deck.ready', now), data: { deck: told } })
    ringAfter(tx, deckTopic(deck.session_id))
  })
  deps.scripts.refresh(deck.session_id)
}

const wordsIn = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
const isCalledLike = (fileName: string, title: string) => [titleOfFile(fileName), fileName].some((name) => wordsIn(name) === wordsIn(title))

/** A talk that is called like its file is called what the first slide says from now on; what somebody wrote stays. */
async function followTitle(tx: Tx, session: Session, fileName: string, [first]: readonly Slide[]): Promise<void> {
  if (first === undefined || first.title === '' || fileName === '' || !isCalledLike(fileName, session.title)) return
  const { titleFrom, isTitleSure } = readReading(first.reading)
  if (!isTitleSure || titleFrom === 'none') return
  await tx
    .updateTable('sessions')
    .set({ title: first.title.slice(0, limits.title) })
    .where('id', '=', session.id)
    .execute()
}

/** What was written for a slide to be said is said of the same slide in a new file too. */
function withNarration(slide: Slide, before: readonly Slide[]): Slide {
  const same = before.find(({ id }) => id === slide.id)
  return same === undefined || slide.narration !== '' ? slide : { ...slide, narration: same.narration, is_silent: same.is_silent }
}

/** What the host wrote over a picture stays on it, as long as nothing but its recognition says otherwise. */
function corrected(slide: Slide, before: readonly Slide[]): Slide {
  const [seen, imageKey] = [readReading(slide.reading), readImages(slide.images)[0]?.key]
  const isOfPicture = confidenceOf(seen) !== undefined || slide.text_content.trim() === ''
  const earlier = isOfPicture ? before.find(({ id, images }) => id === slide.id && readImages(images)[0]?.key === imageKey) : undefined
  if (earlier === undefined || imageKey === undefined || readReading(earlier.reading).isCorrected !== true) return slide
  const { title, text_content, reading, state } = earlier
  return { ...slide, title, text_content, reading, state }
}

const deckEvent = ({ id, account_id: accountId, session_id: sessionId }: Claimed, type: 'deck.ready' | 'deck.failed', at: number) => ({
  type,
  accountId,
  sessionId,
  at,
  dedupeKey: `${type}:${id}`,
})

async function writeFailure(tx: Tx, deck: Claimed, reason: string, now: number): Promise<void> {
  await updateClaimed(tx, deck, { state: 'failed', reason, finished_at: now })
  await append(tx, { ...deckEvent(deck, 'deck.failed', now), data: { deck: { version: deck.version }, reason } })
}

async function fail(deck: Claimed, reason: string, deps: ReadDeckDeps): Promise<void> {
  const now = deps.clock.now()
  await deps.store.write(async (tx) => {
    await writeFailure(tx, deck, reason, now)
    await releaseSource(tx, deck, now)
    ringAfter(tx, deckTopic(deck.session_id))
  })
}

/** The uploaded file is not needed once its pages are made, or cannot be. */
async function releaseSource(tx: Tx, deck: Claimed, now: number): Promise<void> {
  const row = await findDeck(tx, deck.id)
  await releaseBlobs(tx, deck.id, now, keyList.parse(JSON.parse(row?.source_keys ?? '[]')))
}

/** The account may store no more: what this version has taken is given back, and the one in service stays. */
export async function failForStorage(deck: Claimed, reason: string, deps: ReadDeckDeps): Promise<void> {
  const now = deps.clock.now()
  await deps.store.write(async (tx) => {
    await writeFailure(tx, deck, reason, now)
    await tx.deleteFrom('slides').where('deck_id', '=', deck.id).execute()
    await releaseBlobs(tx, deck.id, now)
    ringAfter(tx, deckTopic(deck.session_id))
  })
}

/** For a fault of ours: the owner reads words, the log the cause. */
export const failByFault = (deck: Claimed, deps: ReadDeckDeps): Promise<void> =>
  fail(deck, 'Something went wrong on our side. Send the file again.', deps)
