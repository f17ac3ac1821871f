// Sound and film of a timeline by `ffmpeg`, a program of the operator: the sentences are put on one track, each where its cue begins, and
// the pictures beside it. Nothing is read from the clock, so the same timeline makes the same film. What the program is given stands in
// a folder of its own, which is removed whatever happens.
import { spawn } from 'node:child_process'
import { accessSync, constants, createWriteStream, statSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { frameDrawer, type Scene } from './frames.ts'
import { type Shot, type Timeline, toSrt } from './timeline.ts'

export interface FilmParts {
  ffmpeg: string
  timeline: Timeline
  /** Of a sentence or a picture, undefined where they are gone: it is silent then, or of words. */
  bytesAt(url: string): Promise<Uint8Array | undefined>
  /** 0 to 1. */
  onProgress(share: number): void
  signal: AbortSignal
}

const samplesPerMs = 48
const bytesPerMs = samplesPerMs * 2
const framesPerSecond = 20
/** So many sentences are opened by one process. */
const clipsAtOnce = 24
const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-y']
/** Arguments without a space in them. */
const words = (line: string) => line.split(' ').filter((word) => word !== '')
const exact = ['-fflags', '+bitexact', '-flags', '+bitexact']

/** Removed at the end, whatever happens. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-film-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The whole track as 16-bit samples at 48 kHz. */
async function writeTrack(folder: string, { ffmpeg, timeline, bytesAt, signal, onProgress }: FilmParts): Promise<string> {
  const path = join(folder, 'track.pcm')
  const { cues, totalMs } = timeline
  async function* track() {
    let atMs = 0
    for (let from = 0; from < cues.length; from += clipsAtOnce) {
      signal.throwIfAborted()
      const some = await Promise.all(
        cues.slice(from, from + clipsAtOnce).map(async (cue, at) => {
          const bytes = cue.audioUrl === undefined ? undefined : await bytesAt(cue.audioUrl)
          const file = join(folder, `clip-${at}`)
          if (bytes !== undefined) await writeFile(file, bytes)
          return { cue, file: bytes && file }
        }),
      )
      const sounds = await decoded(
        ffmpeg,
        some.flatMap(({ file }) => file ?? []),
        folder,
        signal,
      )
      for (const { cue, file } of some) {
        yield silence(cue.fromMs - atMs)
        const sound = file === undefined ? Buffer.alloc(0) : (sounds.get(file) ?? Buffer.alloc(0))
        const whole = (cue.untilMs - cue.fromMs) * bytesPerMs
        yield Buffer.concat([sound.subarray(0, whole), Buffer.alloc(Math.max(0, whole - sound.length))])
        atMs = cue.untilMs
      }
      onProgress(Math.min(1, (from + clipsAtOnce) / cues.length))
    }
    yield silence(totalMs - atMs)
  }
  await pipeline(track(), createWriteStream(path))
  return path
}

const silence = (ms: number) => Buffer.alloc(Math.max(0, ms) * bytesPerMs)

async function decoded(
  ffmpeg: string,
  files: readonly string[],
  folder: string,
  signal: AbortSignal,
  form = words('-f s16le -ar 48000 -ac 1'),
): Promise<Map<string, Buffer>> {
  if (files.length === 0) return new Map()
  const outputs = files.map((_, at) => join(folder, `sound-${at}`))
  const given = files.flatMap((file) => ['-i', file])
  const made = outputs.flatMap((output, at) => ['-map', `${at}:a`, ...form, output])
  await run(ffmpeg, [...quiet, ...given, ...made], { signal })
  return new Map(await Promise.all(files.map(async (file, at) => [file, await readFile(outputs[at] ?? '')] as const)))
}

/** Speech that is as small as it may be. */
export const smallerClips = (
  { ffmpeg, signal }: Pick<FilmParts, 'ffmpeg' | 'signal'>,
  clips: readonly Uint8Array[],
): Promise<Uint8Array[]> =>
  inFolder(async (folder) => {
    const made: Uint8Array[] = []
    for (let from = 0; from < clips.length; from += clipsAtOnce) {
      const some = clips.slice(from, from + clipsAtOnce)
      const files = some.map((_, at) => join(folder, `clip-${at}`))
      await Promise.all(some.map((bytes, at) => writeFile(files[at] ?? '', bytes)))
      const smaller = await decoded(ffmpeg, files, folder, signal, [
        ...exact,
        ...words('-f mp3 -ar 22050 -ac 1 -codec:a libmp3lame -b:a 32k'),
      ])
      made.push(...files.map((file) => smaller.get(file) ?? new Uint8Array()))
    }
    return made
  })

/** Gives the path of the file in `folder`. */
export async function makeSound(parts: FilmParts, folder: string): Promise<string> {
  const track = await writeTrack(folder, { ...parts, onProgress: (share) => parts.onProgress(share * 0.7) })
  const output = join(folder, 'talk.mp3')
  const tags = await tagFile(folder, parts.timeline)
  await run(
    parts.ffmpeg,
    [...quiet, ...trackInput(track), '-i', tags, '-map_metadata', '1', ...exact, '-codec:a', 'libmp3lame', '-b:a', '96k', output],
    parts,
  )
  return output
}

const trackInput = (track: string) => ['-f', 's16le', '-ar', '48000', '-ac', '1', '-i', track]

/** JPEG. */
export async function pictureDrawer(
  scene: Scene,
  bytesAt: (url: string) => Promise<Uint8Array | undefined>,
): Promise<(shot: Shot) => Promise<Uint8Array>> {
  const { createCanvas, loadImage } = await import('@napi-rs/canvas')
  const canvas = createCanvas(scene.width, scene.height)
  const draw = await frameDrawer(scene, canvas.getContext('2d'), async (url) => {
    const bytes = await bytesAt(url)
    return bytes === undefined ? null : loadImage(Buffer.from(bytes))
  })
  return async (shot) => {
    await draw(shot)
    return canvas.encode('jpeg', 92)
  }
}

export interface FilmOptions {
  scene: Scene
  shots: readonly Shot[]
  /** Captions as a track of their own. */
  hasTrack: boolean
}

/** Gives the path of the file in `folder`. */
export async function makeFilm(parts: FilmParts & FilmOptions, folder: string): Promise<string> {
  const { ffmpeg, timeline, scene, shots, signal, onProgress } = parts
  const track = await writeTrack(folder, { ...parts, onProgress: (share) => onProgress(share * 0.25) })
  const draw = await pictureDrawer(scene, parts.bytesAt)
  const list = ['ffconcat version 1.0']
  for (const [at, shot] of shots.entries()) {
    signal.throwIfAborted()
    await writeFile(join(folder, `${at}.jpg`), await draw(shot))
    list.push(`file '${at}.jpg'`, `duration ${((shot.untilMs - shot.fromMs) / 1_000).toFixed(3)}`)
    onProgress(0.25 + (0.35 * at) / shots.length)
  }
  // The list's last duration counts only where a picture follows it.
  list.push(`file '${shots.length - 1}.jpg'`)
  await writeFile(join(folder, 'shots.txt'), list.join('\n'))
  await writeFile(join(folder, 'talk.srt'), toSrt(timeline))
  const output = join(folder, 'talk.mp4')
  await run(
    ffmpeg,
    [
      ...quiet,
      ...words('-progress pipe:1 -f concat -safe 0 -i'),
      join(folder, 'shots.txt'),
      ...trackInput(track),
      '-i',
      await tagFile(folder, timeline),
      ...(parts.hasTrack ? ['-i', join(folder, 'talk.srt')] : []),
      ...words('-map 0:v -map 1:a -map_metadata 2'),
      ...words(parts.hasTrack ? '-map 3:s -codec:s mov_text' : ''),
      ...words(`-vf fps=${framesPerSecond},format=yuv420p -codec:v libx264 -preset veryfast -tune stillimage -crf 23 -threads 2`),
      ...words('-codec:a aac -b:a 96k -movflags +faststart -t'),
      (timeline.totalMs / 1_000).toFixed(3),
      ...exact,
      output,
    ],
    { signal, onTime: (ms) => onProgress(0.6 + 0.4 * Math.min(1, ms / timeline.totalMs)) },
  )
  return output
}

/** Title and chapters, one a slide. */
async function tagFile(folder: string, { title, chapters, totalMs }: Timeline): Promise<string> {
  const plain = (text: string) => text.replaceAll(/[=;#\\\n]/g, (mark) => `\\${mark}`)
  const parts = chapters.map(
    (chapter, at) =>
      `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${chapter.fromMs}\nEND=${chapters[at + 1]?.fromMs ?? totalMs}\ntitle=${plain(chapter.title)}`,
  )
  const path = join(folder, 'tags.txt')
  await writeFile(path, [';FFMETADATA1', `title=${plain(title)}`, ...parts].join('\n'))
  return path
}

const usualFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin', '/snap/bin']

/** The file of a program: as it is where it has a path, else the first of that name in the usual directories; null where there is none. */
export function findProgram(program: string): string | null {
  const places = program.includes('/') ? [program] : usualFolders.map((folder) => join(folder, program))
  return places.find((place) => isExecutable(place)) ?? null
}

function isExecutable(place: string): boolean {
  try {
    accessSync(place, constants.X_OK)
    return statSync(place).isFile()
  } catch {
    return false
  }
}

/** What the program said, for the operator. */
export class FilmFault extends Error {
  constructor(words: string) {
    super(words)
    this.name = 'FilmFault'
  }
}

function run(program: string, args: readonly string[], { signal, onTime }: { signal: AbortSignal; onTime?: (ms: number) => void }) {
  return new Promise<void>((resolve, reject) => {
    const child = spawn(program, args, { signal, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.once('spawn', () => child.pid !== undefined && setPriority(child.pid, 10))
    child.stdout.on('data', (chunk: Buffer) => {
      const time = /out_time_us=(\d+)/.exec(chunk.toString())?.[1]
      if (time !== undefined) onTime?.(Number(time) / 1_000)
    })
    child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)))
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve() : reject(new FilmFault(`${program} ended with ${code}: ${said.trim()}`))))
  })
}
