// The pages of a presentation, whatever its format: what stands on a slide becomes blocks, what stands on most of them at an edge
// is furniture. A slide that nobody drew is shown by the one picture that fills it.
import { writeBlocks } from '../blocks/write-blocks.ts'
import type { Picture } from '../render/picture.ts'
import { readPicture } from '../render/picture.ts'
import type { OpenDocument, RenderedPage } from '../render/protocol.ts'
import { cleanText, DocumentError, textMinForSpeech, unreadable } from '../render/protocol.ts'
import type { PageWarning } from '../warnings.ts'
import type { Part, TextPart } from './slide-draft.ts'
import { draftOf } from './slide-draft.ts'
import type { Zip } from './zip.ts'

export interface SlideRead {
  parts: readonly Part[]
  notes: string
  /** Pictures that stand on it, by their names in the archive. */
  pictures: readonly { name: string; share: number }[]
}

export interface SlideSource {
  read(): Promise<SlideRead>
  /** Its texts alone; empty where they cannot be read. */
  texts: readonly TextPart[]
}

const coveringShare = 0.5

export function presentationOf(zip: Zip, slides: readonly SlideSource[]): OpenDocument {
  if (slides.length === 0) throw new DocumentError('The presentation has no slides.')
  const isFurniture = furnitureOf(slides)
  return {
    total: slides.length,
    async page(index) {
      const slide = await slides[index]?.read()
      if (slide === undefined) throw new DocumentError('The slide is missing from the file.')
      const { title, text, reading } = writeBlocks(draftOf(slide.parts, isFurniture))
      const page: RenderedPage = {
        index,
        title,
        text,
        reading,
        notes: cleanText(slide.notes),
        images: [],
        state: text.length < textMinForSpeech && reading.blocks.length === 0 ? 'no_text' : 'ok',
      }
      const lost = lossOf(slide)
      const warnings: PageWarning[] = lost === undefined ? [] : [{ code: 'drawn_without_pictures', detail: lost }]
      const covering = slide.pictures.toSorted((one, other) => other.share - one.share)[0]
      if (covering === undefined || covering.share <= coveringShare) return { ...page, warnings }
      const picture = await coveringPicture(zip, covering.name)
      if (picture?.ok === true) return { ...page, images: picture.images }
      return { ...page, warnings: unreadable(picture?.words ?? 'The picture of the slide is missing from the file.') }
    },
  }
}

/** What the text of a slide does not show; undefined where that is nothing. */
function lossOf({ parts }: SlideRead): string | undefined {
  const has = (kind: Part['kind']) => parts.some((part) => part.kind === kind)
  const lost = [
    has('chart') && 'its chart',
    has('diagram') && 'its diagram',
    has('connector') && 'its drawing',
    has('picture') && 'its pictures',
  ].filter((each) => each !== false)
  return lost.length === 0 ? undefined : `The slide is typeset from its text, without ${new Intl.ListFormat('en').format(lost)}.`
}

/** Undefined where it is missing. One that cannot be unpacked is only a picture: the slide has its words. */
async function coveringPicture(zip: Zip, name: string): Promise<Picture | undefined> {
  try {
    const media = await zip.read(name)
    return media && (await readPicture(media))
  } catch (error) {
    if (error instanceof DocumentError) return { ok: false, words: error.message }
    throw error
  }
}

const slidesMin = 4
const furnitureShare = 0.4
const edge = 0.14

/** The same words at the same place of an edge on many slides: brand lines and numbers that somebody typed. */
function furnitureOf(slides: readonly SlideSource[]): (part: TextPart) => boolean {
  const counts = new Map<string, number>()
  for (const { texts } of slides) {
    const keys = new Set(texts.map(placeKey).filter((key) => key !== undefined))
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const least = Math.max(slidesMin, slides.length * furnitureShare)
  return (part) => {
    const key = placeKey(part)
    return key !== undefined && (counts.get(key) ?? 0) >= least
  }
}

/** Undefined for a text that is no candidate. */
function placeKey({ box, placeholder, paragraphs }: TextPart): string | undefined {
  if (box === undefined || paragraphs.length === 0 || placeholder === 'title' || placeholder === 'ctrTitle') return undefined
  const [x, y, w, h] = box
  const isAtEdge = y + h < edge || y > 1 - edge || x + w < edge || x > 1 - edge
  if (!isAtEdge) return undefined
  const words = paragraphs.map(({ text }) => text.replace(/\d+/g, '#')).join(' ')
  return words.length > 160 ? undefined : `${words} ${[x, y].map((value) => Math.round(value * 50)).join(' ')}`
}
