// The picture that other sites show beside the link of a talk (Open Graph, oEmbed): its first slide with the host's brand, 1200 x 630.
// Only of talks that are public by their link. Drawn once, one after the other, and kept in memory.
import { createHash } from 'node:crypto'
import type { Areas } from './areas.ts'
import type { Brand } from '@rostrum/contract/brand'
import type { RouteCall } from './platform/http/ports.ts'
import { atMost, madeOnce } from '@rostrum/base/work'
import { pictureDrawer } from './recordings/film.ts'
import type { FilmSlide } from './recordings/frames.ts'
import { openToAll, previewSize } from './runs/room/rooms.ts'

const keptMax = 100

export function createRoomPreviews({ talks, decks }: Pick<Areas, 'talks' | 'decks'>) {
  const kept = new Map<string, Promise<Uint8Array>>()
  const inTurn = atMost(1)

  async function draw({ title, text, imageUrl }: FilmSlide, brand: Brand | null): Promise<Uint8Array> {
    const bytesAt = (url: string) => decks.deps.blobs.find(url.slice(url.lastIndexOf('/') + 1))
    // Without a caption it has the whole picture.
    const slides = [{ title, text, imageUrl }]
    const drawFrame = await pictureDrawer({ ...previewSize, slides, brand }, bytesAt)
    return drawFrame({ fromMs: 0, untilMs: 1, slideIndex: 0, caption: '' })
  }

  return async ({ params, request }: RouteCall): Promise<Response> => {
    const session = await openToAll(talks, params['key'] ?? '')
    if (session === null) return new Response(null, { status: 404 })
    const { title, brand = null, description } = session
    const [first] = (await talks.pinnedTalk(session.sessionId, session.deckId)).slides
    const slide = first ?? { title, text: description ?? '', imageUrl: null }
    const { imageUrl } = slide
    const digest = createHash('sha256')
      .update(JSON.stringify([slide.title, slide.text, imageUrl, brand]))
      .digest('base64url')
    const headers = {
      'Content-Type': 'image/jpeg',
      'Cache-Control': 'public, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
      ETag: `"${digest}"`,
    }
    if (request.headers.get('if-none-match') === headers.ETag) return new Response(null, { status: 304, headers })
    return new Response(Uint8Array.from(await madeOnce(kept, digest, keptMax, () => inTurn(() => draw(slide, brand)))), { headers })
  }
}
