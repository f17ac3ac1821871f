// Pictures of a slide as they are kept and as they are shown: three widths, each a blob of its own (`srcset`).
import { z } from 'zod'

const kept = z.array(z.object({ key: z.string(), width: z.number(), height: z.number() }))
export type SlideImages = z.output<typeof kept>

/** Reads the column; it is written by `writeImages` alone. */
export function readImages(column: string): SlideImages {
  return kept.parse(JSON.parse(column))
}

export function writeImages(images: SlideImages): string {
  return JSON.stringify(images)
}

export interface SlideImage {
  imageUrl: string
  /** Of the widest. */
  width: number
  height: number
  srcset: string
}

/** `mediaBase` is the asset origin or the base URL, without a trailing slash. Null for a slide without a picture. */
export function showImage(images: SlideImages, mediaBase: string): SlideImage | null {
  const widest = images[0]
  if (widest === undefined) return null
  const urlOf = (key: string) => `${mediaBase}/media/${key}`
  return {
    imageUrl: urlOf(widest.key),
    width: widest.width,
    height: widest.height,
    srcset: images.map(({ key, width }) => `${urlOf(key)} ${width}w`).join(', '),
  }
}

/** The narrowest picture of a slide, whose column this is. */
export function coverUrl(images: string | null, mediaBase: string): string | undefined {
  const narrowest = images === null ? undefined : readImages(images).at(-1)
  return narrowest === undefined ? undefined : `${mediaBase}/media/${narrowest.key}`
}
