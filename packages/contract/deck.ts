// What a slide shows: blocks in reading order and places on its picture. Declared once; readers, answers, rooms and screens import it.
import { z } from 'zod'

/** x, y, width, height in fractions of the picture, from its upper left corner. */
export const box = z.tuple([z.number(), z.number(), z.number(), z.number()]).readonly()
export type Box = z.output<typeof box>

/** Of what is said or quoted: parts of the picture, or of the text of a slide that has no picture. */
export const placeOnSlide = {
  region: z.array(box).readonly().exactOptional().describe('Boxes on the picture: x, y, width, height in fractions of it.'),
  spans: z
    .array(z.tuple([z.number(), z.number()]).readonly())
    .readonly()
    .exactOptional()
    .describe('On a slide without a picture: offsets in the text of the slide.'),
}
const place = z.object(placeOnSlide)
export type PlaceOnSlide = z.output<typeof place>

const piece = {
  text: z.string(),
  boxes: z.array(box).readonly().exactOptional(),
  confidence: z.number().exactOptional().describe('Of words that were read from a picture, 0 to 1.'),
  start: z.number().describe('In the text of the slide.'),
  end: z.number(),
}
const words = z.object(piece)

/** A block of a slide, below its title. */
export const block = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('heading'), level: z.number(), ...piece }),
  z.object({ kind: z.literal('paragraph'), ...piece }),
  z.object({
    kind: z.literal('list'),
    items: z
      .array(z.object({ level: z.number().describe('0 at the top.'), isOrdered: z.literal(true).exactOptional(), ...piece }))
      .readonly(),
  }),
  z.object({ kind: z.literal('table'), hasHeader: z.boolean(), rows: z.array(z.array(words).readonly()).readonly() }),
  z.object({ kind: z.literal('code'), ...piece }),
  z.object({ kind: z.literal('quote'), by: z.string().exactOptional(), ...piece }),
  z.object({ kind: z.literal('link'), url: z.string(), ...piece }),
  z.object({
    kind: z.literal('figure'),
    shows: z.enum(['chart', 'diagram', 'picture', 'screenshot']),
    boxes: z.array(box).readonly().exactOptional(),
    labels: z.array(words).readonly(),
    data: z
      .object({
        categories: z.array(z.string()).readonly(),
        series: z.array(z.object({ name: z.string(), values: z.array(z.number().nullable()).readonly() })).readonly(),
        format: z.string().exactOptional(),
      })
      .exactOptional(),
    caption: words.exactOptional(),
    alt: words.exactOptional(),
  }),
])

/** A slide as people in a room and its host see it. */
export const shownSlide = z.object({
  id: z.string(),
  index: z.number().describe('From 0.'),
  title: z.string(),
  text: z.string(),
  imageUrl: z.string().nullable(),
  width: z.number().nullable().exactOptional(),
  height: z.number().nullable().exactOptional(),
  srcset: z.string().exactOptional(),
  lowText: z.literal(true).exactOptional().describe('Words of it stand where captions would lie: they belong below the picture.'),
})
