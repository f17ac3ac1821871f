// A crowd of attendees in a process of its own, written in C so that it takes little of the machine; and what a process costs.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Interface } from 'node:readline'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

export interface Seen {
  /** Since the report before, over all attendees. */
  events: number
  /** That brought an event, or more than one: as many as there were writes, where these were not faster than the reader. */
  reads: number
  bytes: number
  /** Connections that the server has ended, since the beginning. */
  closed: number
  /** Milliseconds from the time inside an event to its being read. */
  p50: number
  p99: number
}

export interface Attendees {
  /** Opens as many streams more; resolves when all have the head of their answer. */
  enter(count: number): Promise<void>
  report(): Promise<Seen>
  /** The same, once nothing has come for a while. */
  silence(): Promise<Seen>
  close(): Promise<void>
}

const lookEveryMs = 100
const silentLooks = 4

/** Streams of the port, none of them open yet; `requests` is a file of request heads, or of one for all. */
export function gather(sink: string, port: number, requests: string): Attendees {
  const child = spawn(sink, [String(port), requests], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = linesOf(child)
  const ask = async (word: string) => {
    child.stdin.write(`${word}\n`)
    return await lines.next()
  }
  const report = async () => JSON.parse(await ask('report')) as Seen
  return {
    async enter(count) {
      if ((await ask(`enter ${count}`)) !== 'ready') throw new Error('The attendees could not connect.')
    },
    report,
    async silence() {
      let before = ''
      for (let same = 0; same < silentLooks; same++) {
        await setTimeout(lookEveryMs)
        const now = await ask('look')
        if (now !== before) same = 0
        before = now
      }
      return await report()
    },
    close: () => end(child),
  }
}

export interface Lines {
  /** The next line; rejects when the process ends before it. */
  next(): Promise<string>
}

export function linesOf(child: ChildProcess): Lines {
  if (child.stdout === null) throw new Error('The process has no output.')
  const reader: Interface = createInterface({ input: child.stdout })
  const iterator = reader[Symbol.asyncIterator]()
  return {
    async next() {
      const { value, done } = await iterator.next()
      if (done === true) throw new Error(`${child.spawnfile} ended with ${String(child.exitCode)}.`)
      return value
    },
  }
}

/** Ends a process and waits for its end. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}

export function residentKb(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return (Number(pages) * 4_096) / 1_024
}
