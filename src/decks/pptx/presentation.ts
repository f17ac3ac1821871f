// Reads a PowerPoint file as a deck (ECMA-376): slide order from the relations of the presentation, text, speaker notes as
// private notes, and the picture of a slide that one picture fills. A slide without one is shown by its text.
import { posix } from 'node:path'
import type { Picture } from '../render/picture.ts'
import { readPicture } from '../render/picture.ts'
import type { OpenDocument, RenderedPage } from '../render/protocol.ts'
import { cleanText, DocumentError, pagesMax, textMinForSpeech, unreadable } from '../render/protocol.ts'
import { notesText, readShapes } from './shapes.ts'
import type { Element } from './xml.ts'
import { child, parseXml } from './xml.ts'
import type { Zip } from './zip.ts'
import { openZip } from './zip.ts'

const presentationPart = 'ppt/presentation.xml'
const coveringShare = 0.5
/** The size of a slide where the file names none: 16:9. */
const areaByDefault = 12_192_000 * 6_858_000

interface Relation {
  type: string
  target: string
}

/** Throws `DocumentError`. Embedded files, macros, links and external relations are never opened. */
export function openPptx(bytes: Uint8Array): OpenDocument {
  const zip = openZip(bytes)
  const presentation = readPart(zip, presentationPart)
  if (presentation === undefined) throw new DocumentError('The archive is not a PowerPoint file (.pptx).')
  const relations = readRelations(zip, presentationPart)
  const listed = child(presentation, 'sldIdLst')?.children ?? []
  if (listed.length > pagesMax) throw new DocumentError(`The file has ${listed.length} slides; the limit is ${pagesMax}.`)
  const targets = listed.flatMap((slide) => relations.get(slide.attributes['r:id'] ?? '')?.target ?? [])
  const slides = targets.filter((target) => zip.names.has(target)).flatMap((target) => shownSlide(zip, target))
  if (slides.length === 0) throw new DocumentError('The presentation has no slides.')
  const area = areaOf(presentation)
  return { total: slides.length, page: (index) => readSlide(zip, slides[index] ?? '', area, index) }
}

/** Hidden slides are not presented. A slide that cannot be read is kept: it becomes a placeholder. */
function shownSlide(zip: Zip, target: string): string[] {
  try {
    return readPart(zip, target)?.attributes['show'] === '0' ? [] : [target]
  } catch (error) {
    if (error instanceof DocumentError) return [target]
    throw error
  }
}

function areaOf(presentation: Element): number {
  const size = child(presentation, 'sldSz')?.attributes
  const area = Number(size?.['cx']) * Number(size?.['cy'])
  return Number.isFinite(area) && area > 0 ? area : areaByDefault
}

async function readSlide(zip: Zip, part: string, area: number, index: number): Promise<RenderedPage> {
  const slide = readPart(zip, part)
  if (slide === undefined) throw new DocumentError('The slide is missing from the file.')
  const relations = readRelations(zip, part)
  const shapes = readShapes(slide, area)
  const notesPart = [...relations.values()].find(({ type }) => type.endsWith('/notesSlide'))?.target
  const notes = notesPart === undefined ? undefined : readPart(zip, notesPart)
  const lines = shapes.lines.length > 0 ? shapes.lines : shapes.altTexts
  const title = shapes.title !== '' ? shapes.title : ''
  const text = cleanText([title, ...lines].filter((line) => line !== '').join('\n'))
  const page = { index, title: cleanText(title).slice(0, 200), text, notes: notes === undefined ? '' : cleanText(notesText(notes)) }
  const state = text.length < textMinForSpeech && lines.length === 0 ? 'no_text' : 'ok'
  const covering = shapes.pictures.toSorted((one, other) => other.share - one.share)[0]
  if (covering === undefined || covering.share <= coveringShare) return { ...page, images: [], state }
  const picture = await coveringPicture(zip, relations.get(covering.relation)?.target ?? '')
  if (picture?.ok === true) return { ...page, images: picture.images, state }
  return { ...page, images: [], state, warnings: unreadable(picture?.words ?? 'The picture of the slide is missing from the file.') }
}

/** Undefined where it is missing. One that cannot be unpacked is only a picture: the slide has its words. */
async function coveringPicture(zip: Zip, name: string): Promise<Picture | undefined> {
  try {
    const media = zip.read(name)
    return media && (await readPicture(media))
  } catch (error) {
    if (error instanceof DocumentError) return { ok: false, words: error.message }
    throw error
  }
}

function readPart(zip: Zip, name: string): Element | undefined {
  const bytes = zip.read(name)
  if (bytes === undefined) return undefined
  return parseXml(decodeXml(bytes))
}

/** UTF-8, or UTF-16 with a byte order mark. */
function decodeXml(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}

function readRelations(zip: Zip, part: string): Map<string, Relation> {
  const folder = posix.dirname(part)
  const file = readPart(zip, `${folder}/_rels/${posix.basename(part)}.rels`)
  const relations = new Map<string, Relation>()
  for (const { attributes } of file?.children ?? []) {
    if (attributes['TargetMode'] === 'External') continue
    const target = attributes['Target'] ?? ''
    const path = target.startsWith('/') ? posix.normalize(target.slice(1)) : posix.normalize(posix.join(folder, target))
    relations.set(attributes['Id'] ?? '', { type: attributes['Type'] ?? '', target: path })
  }
  return relations
}
