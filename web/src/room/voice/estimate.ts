// How long a sentence takes where nobody has said so: the server tells it with all that is spoken.
import { columns } from '@rostrum/contract/captions'

/** How long a sentence takes when the server did not say: 150 words a minute and a stop; at least 700 ms. */
export function estimateMs(text: string, speed = 1): number {
  const wide = columns(text) - text.length
  const words = text.split(/\s+/).length + wide * 0.4
  return Math.max(700, Math.round((words * 400 + 350) / speed))
}
