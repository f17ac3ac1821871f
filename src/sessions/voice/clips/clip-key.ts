// The identity of a clip: the same sentence in the same voice of the same model at the same speed is the same clip.
import { createHash } from 'node:crypto'

/** The speed of a listener is the player's affair. */
const speed = 1

export function clipKey(text: string, { model, voice }: { model: string; voice: string }): string {
  return createHash('sha256')
    .update(JSON.stringify([text, voice, model, speed]))
    .digest('hex')
}
