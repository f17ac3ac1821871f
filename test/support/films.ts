// Films that are some, made by a real ffmpeg: a still and a hum.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import ffmpeg from '@ffmpeg-installer/ffmpeg'

const run = promisify(execFile)

/** The container by the name of the file; `codecs` as ffmpeg takes them. */
export async function makeFilm(file: string, ms: number, codecs = '-codec:v libvpx -codec:a libvorbis'): Promise<void> {
  const length = String(ms / 1_000)
  const still = `color=c=teal:size=64x36:rate=2:duration=${length}`
  const hum = `sine=frequency=220:duration=${length}`
  const inputs = ['-f', 'lavfi', '-i', still, '-f', 'lavfi', '-i', hum]
  await run(ffmpeg.path, ['-hide_banner', '-loglevel', 'error', '-nostdin', '-y', ...inputs, ...codecs.split(' '), file])
}
