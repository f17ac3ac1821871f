// Lets one file of knowledge be read at a time in this process, and refuses when too many wait: each PDF takes a process of its own.
import type { Clock } from '../../platform/clock.ts'
import { ServiceError } from '../../platform/errors.ts'
import type { Section } from './prose.ts'
import { type KnowledgeFile, readKnowledge } from './read-knowledge.ts'

const waitingMax = 8

export function createKnowledgeReader(clock: Clock): (file: KnowledgeFile, signal: AbortSignal) => Promise<Section[]> {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return (file, signal) => {
    if (waiting >= waitingMax) {
      throw new ServiceError('temporarily_unavailable', 'Too many files are being read. Try again in a minute.', {
        headers: { 'Retry-After': '60' },
      })
    }
    waiting++
    const reading = last.then(() => readKnowledge(file, clock, { signal })).finally(() => waiting--)
    last = reading.catch(() => undefined)
    return reading
  }
}
