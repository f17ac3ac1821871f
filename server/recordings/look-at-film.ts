// What a file that somebody calls a film is, seen by a process that may be killed: a file that crashes, stalls or fills its reader costs
// its sender a refusal, never the server.
import { fileURLToPath } from 'node:url'
import type { Clock } from '@rostrum/base/clock'
import { createEngine, EngineFailed } from '@rostrum/base/engine'
import { invalidInput } from '../platform/parse.ts'
import { atMost } from '@rostrum/base/work'

export interface SeenFilm {
  /** `WebM`, `MP4`, ... */
  container: string
  tracks: readonly { kind: string; codec: string | null; isEmpty: boolean }[]
  /** To the end of the last picture or sound that is there, whatever its head says. */
  durationMs: number
}

const program = fileURLToPath(new URL('film-reader.ts', import.meta.url))
const limits = { startMs: 20_000, workMs: 20_000, memoryBytes: 384 * 1024 * 1024 }
const inTurn = atMost(1)

/** Null where it is no film that can be read. Rejects with the reason of `signal`. */
const lookAtFilm = (path: string, clock: Clock, signal: AbortSignal): Promise<SeenFilm | null> =>
  inTurn(async () => {
    signal.throwIfAborted()
    const engine = createEngine({ program, setup: null, clock, limits, may: [], flags: ['--max-old-space-size=192'], env: { HOME: '/' } })
    try {
      // The program is our own code: its answers are of this type.
      return (await engine.run(path, { signal })) as SeenFilm | null
    } catch (error) {
      if (error instanceof EngineFailed && error.why !== undefined && error.why !== 'start') return null
      throw error
    } finally {
      engine.close()
    }
  })

/** Codecs of a WebM, which every browser that plays it knows. */
const known = ['vp8', 'vp9', 'av1', 'opus', 'vorbis']

/** How long the film in the file at `path` lasts, which is of a talk of `totalMs`. Throws `invalid_request` in words for who sent it. */
export async function lengthOfFilm(path: string, totalMs: number, clock: Clock, signal: AbortSignal): Promise<number> {
  const film = await lookAtFilm(path, clock, signal)
  const detail = film === null ? 'is no film that can be read: send WebM, as the dashboard makes it.' : wrongWith(film, totalMs)
  if (film === null || detail !== null) throw invalidInput([{ pointer: '#/file', detail: String(detail) }])
  return film.durationMs
}

function wrongWith({ container, tracks, durationMs }: SeenFilm, totalMs: number): string | null {
  if (container !== 'WebM') return `is ${container}, not WebM: send it as WebM, with VP8, VP9 or AV1 and Opus.`
  const shown = tracks.filter(({ kind }) => kind === 'video')
  if (shown.length !== 1 || shown[0]?.isEmpty) return 'has not one track of pictures: send a film with one, and with pictures in it.'
  const isStrange = ({ kind, codec }: SeenFilm['tracks'][number]) => kind !== 'subtitle' && !known.includes(codec ?? '')
  const strange = tracks.find(isStrange)
  if (strange !== undefined)
    return `holds ${strange.codec ?? `${strange.kind} of an unknown kind`}: send VP8, VP9 or AV1 with Opus or Vorbis.`
  // Its chapters and captions are those of the plan.
  if (Math.abs(durationMs - totalMs) > Math.max(5_000, totalMs / 20))
    return `lasts ${seconds(durationMs)} s and the talk ${seconds(totalMs)} s: send the whole film of this plan.`
  return null
}

const seconds = (ms: number) => Math.round(ms / 1_000)
