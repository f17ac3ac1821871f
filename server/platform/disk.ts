// A disk has a reserve: below it nothing that is kept as a file is taken any more, while questions, leads and talks, which are small, go
// on. Asked on the head of an upload, before its body.
import { statfsSync } from 'node:fs'
import { tellSeldom } from './away.ts'
import type { Clock } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import type { Gauges } from './gauges.ts'

/** Of several the smallest counts: a share of a large disk would be much. */
export type Reserve = readonly ({ bytes: number } | { share: number })[]

export interface Room {
  freeBytes: number
  totalBytes: number
}

interface DiskParts {
  directory: string
  /** Null: none. */
  reserve: Reserve | null
  clock: Clock
  /** Told once a minute while it is below. */
  tell(words: string): void
  /** Throws where there is no such directory: nothing is kept there then. */
  look?: (directory: string) => Room
}

const lookEveryMs = 60_000

export function createDisk({ directory, reserve, clock, tell, look = roomOf }: DiskParts) {
  const tellOnce = tellSeldom(clock, tell)
  let cancel = () => {}

  function find(): (Room & { reserveBytes: number }) | null {
    if (reserve === null) return null
    try {
      const room = look(directory)
      return { ...room, reserveBytes: reserveOf(reserve, room) }
    } catch {
      return null
    }
  }

  function check(bytes: number): boolean {
    const found = find()
    if (found === null || found.freeBytes - bytes >= found.reserveBytes) return true
    if (found.freeBytes < found.reserveBytes)
      tellOnce(
        `The disk of ${directory} has ${mebibytes(found.freeBytes)} free, less than its reserve of ${mebibytes(found.reserveBytes)} (ROSTRUM_DISK_RESERVE): uploads are refused.`,
      )
    return false
  }

  function watch(): void {
    check(0)
    cancel = clock.after(lookEveryMs, watch)
  }

  return {
    /** Throws, with words for whoever sends it, where so many bytes more would leave less than the reserve. */
    hasRoomFor(bytes: number): void {
      if (check(bytes)) return
      const words =
        'The disk of this service has no room for files at the moment. Talks, questions and leads go on. Send the file again later, or tell the operator.'
      throw new ServiceError('temporarily_unavailable', words, { headers: { 'Retry-After': '60' } })
    },
    gauges(): ReturnType<Gauges> {
      const found = find()
      if (found === null) return {}
      return {
        rostrum_disk_free_bytes: { help: 'Free on the disk of the data directory.', value: found.freeBytes },
        rostrum_disk_reserve_bytes: { help: 'Below so many free bytes uploads are refused.', value: found.reserveBytes },
      }
    },
    /** Looks once a minute, so that it is told before anybody uploads. */
    start: watch,
    close: () => cancel(),
  }
}

export function roomOf(directory: string): Room {
  const { bavail, blocks, bsize } = statfsSync(directory)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

export const reserveOf = (reserve: Reserve, { totalBytes }: Room): number =>
  Math.min(...reserve.map((each) => ('bytes' in each ? each.bytes : Math.floor(totalBytes * each.share))))

const mebibytes = (bytes: number) => `${Math.floor(bytes / 1_048_576).toLocaleString('en')} MiB`
