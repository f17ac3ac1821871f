// The process that looks at a film of a stranger: what holds it, its tracks, how long it lasts. Started by `look-at-film.ts` with no
// network and no right to write; the file is read by offset, and nothing of it is decoded.
import { EncodedPacketSink, FilePathSource, Input, type InputTrack, MATROSKA, MP4, QTFF, WEBM } from 'mediabunny'
import { serveEngine } from '@rostrum/base/engine'
import type { SeenFilm } from './look-at-film.ts'

const tracksMax = 32

serveEngine(async () => async (asked): Promise<SeenFilm | null> => {
  // The server is our own code: what it asks for is a path.
  const input = new Input({ source: new FilePathSource(asked as string), formats: [WEBM, MATROSKA, MP4, QTFF] })
  try {
    const format = await input.getFormat()
    const found = (await input.getTracks()).slice(0, tracksMax)
    const tracks: SeenFilm['tracks'][number][] = []
    for (const track of found) tracks.push({ kind: track.type, codec: await track.getCodec(), isEmpty: await isEmpty(track) })
    return { container: format.name, tracks, durationMs: Math.round((await input.computeDuration(found)) * 1_000) }
  } catch {
    // Whatever is wrong with it: it is none.
    return null
  } finally {
    input.dispose()
  }
})

async function isEmpty(track: InputTrack): Promise<boolean> {
  if (!track.isVideoTrack() && !track.isAudioTrack()) return false
  return (await new EncodedPacketSink(track).getFirstPacket()) === null
}
