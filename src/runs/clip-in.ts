// The clip that an event names: a beat or a sentence of an answer in the server's voice.
import type { SaidClip } from '../contract/room.ts'

export function clipIn(data: Partial<SaidClip>): SaidClip | undefined {
  const { audioUrl, audioMs, audioFromMs } = data
  if (audioUrl === undefined || audioMs === undefined) return undefined
  return { audioUrl, audioMs, ...(audioFromMs === undefined ? {} : { audioFromMs }) }
}
