// Makes the film of a plan in this page, where the server has no ffmpeg: the pictures of `server/recordings/frames.ts` on a canvas, the
// sentences on one track, both encoded by the browser (WebCodecs) and put together by mediabunny. Loaded when a film is wanted.
import {
  AudioBufferSource,
  BufferTarget,
  CanvasSource,
  canEncodeAudio,
  getFirstEncodableVideoCodec,
  Output,
  Quality,
  TextSubtitleSource,
  WebMOutputFormat,
} from 'mediabunny'
import { frameDrawer } from '../../../../server/recordings/frames.ts'
import type { FilmPlan } from '../data/wire.ts'

interface Parts {
  plan: FilmPlan
  /** 0 to 1. */
  onProgress(share: number): void
  signal: AbortSignal
}

/** In words for the host. */
export class CannotFilm extends Error {
  override name = 'CannotFilm'
}

const sampleRate = 48_000
const samplesPerMs = sampleRate / 1_000
/** A still is shown anew so often, so that a player finds its place. */
const stillMs = 2_000
/** Sharp letters at 0.1 to 0.3 MB a minute; what it is not known by gets a rate of bits. */
const looks = new Quality({ quantizer: 22, bitrate: 4_000_000 })
const speech = new Quality({ bitrate: 64_000 })

/** WebM. Rejects with `CannotFilm`, or with the reason of `signal`. */
export async function makeWebm({ plan, onProgress, signal }: Parts): Promise<Blob> {
  const { title, scene, shots, totalMs, sounds, captions } = plan
  const { width, height } = scene
  const codec =
    typeof VideoEncoder === 'undefined' ? null : await getFirstEncodableVideoCodec(['vp9', 'vp8'], { width, height, quality: looks })
  const hasVoice = sounds.length > 0
  const voiced = { numberOfChannels: 1, sampleRate, quality: speech }
  if (codec === null || (hasVoice && !(await canEncodeAudio('opus', voiced))))
    throw new CannotFilm('This browser cannot make films. A current Chrome, Edge or Firefox on a computer can.')

  const canvas = new OffscreenCanvas(width, height)
  const pen = canvas.getContext('2d')
  if (pen === null) throw new CannotFilm('This browser gave no canvas to draw on. Close other pages and try again.')
  const draw = await frameDrawer<ImageBitmap>(scene, pen, (url) => pictureAt(url, signal))
  const target = new BufferTarget()
  const output = new Output({ format: new WebMOutputFormat(), target })
  const pictures = new CanvasSource(canvas, { codec, quality: looks, keyFrameInterval: 10 })
  const voice = hasVoice ? new AudioBufferSource({ codec: 'opus', quality: speech }) : null
  output.addVideoTrack(pictures)
  if (voice !== null) output.addAudioTrack(voice)
  const words = captions.length > 0 ? new TextSubtitleSource('webvtt') : null
  if (words !== null) output.addSubtitleTrack(words)
  output.setMetadataTags({ title })
  await output.start()
  try {
    await words?.add(`WEBVTT\n\n${captions.map(cueOf).join('\n\n')}`)
    const speak = voice === null ? null : voiceOf(voice, plan, signal)
    for (const shot of shots) {
      signal.throwIfAborted()
      await draw(shot)
      for (let atMs = shot.fromMs; atMs < shot.untilMs; atMs += stillMs)
        await pictures.add(atMs / 1_000, Math.min(stillMs, shot.untilMs - atMs) / 1_000)
      await speak?.(shot.untilMs)
      onProgress(shot.untilMs / totalMs)
    }
    await output.finalize()
  } catch (error) {
    await output.cancel()
    throw error
  }
  return new Blob([target.buffer ?? new ArrayBuffer()], { type: 'video/webm' })
}

async function bytesAt(url: string, signal: AbortSignal): Promise<Blob | null> {
  const answer = await fetch(new URL(url).pathname, { signal })
  return answer.ok ? answer.blob() : null
}

async function pictureAt(url: string, signal: AbortSignal): Promise<ImageBitmap | null> {
  const bytes = await bytesAt(url, signal)
  return bytes === null ? null : createImageBitmap(bytes)
}

const two = (count: number, places = 2) => String(count).padStart(places, '0')
const stamp = (ms: number) =>
  `${two(Math.floor(ms / 3_600_000))}:${two(Math.floor(ms / 60_000) % 60)}:${two(Math.floor(ms / 1_000) % 60)}.${two(ms % 1_000, 3)}`
const cueOf = ({ fromMs, untilMs, text }: FilmPlan['captions'][number]) =>
  `${stamp(fromMs)} --> ${stamp(untilMs)}\n${text.replaceAll('-->', '->').replaceAll('&', '&amp;').replaceAll('<', '&lt;')}`

/** Adds what is heard up to a moment: each sentence where its cue begins, silence between. */
function voiceOf(source: AudioBufferSource, { sounds }: FilmPlan, signal: AbortSignal): (untilMs: number) => Promise<void> {
  const decoder = new OfflineAudioContext(1, 1, sampleRate)
  const ahead = [...sounds]
  let atMs = 0
  const add = async (ms: number, heard?: Float32Array<ArrayBuffer>) => {
    if (ms <= 0) return
    const buffer = new AudioBuffer({ length: ms * samplesPerMs, numberOfChannels: 1, sampleRate })
    if (heard !== undefined) buffer.copyToChannel(heard.subarray(0, buffer.length), 0)
    await source.add(buffer)
    atMs += ms
  }
  return async (untilMs) => {
    for (let next = ahead[0]; next !== undefined && next.fromMs < untilMs; next = ahead[0]) {
      ahead.shift()
      const bytes = await bytesAt(next.url, signal)
      const heard = bytes === null ? undefined : await decoder.decodeAudioData(await bytes.arrayBuffer())
      await add(next.fromMs - atMs)
      await add(next.untilMs - next.fromMs, heard?.getChannelData(0))
    }
    await add(untilMs - atMs)
  }
}
