// A crowd of attendees in a process of its own, written in C so that it takes little of the machine; and what a process costs.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Interface } from 'node:readline'
import { createInterface } from 'node:readline'

export interface Seen {
  /** Since the report before, over all attendees. */
  events: number
  bytes: number
  /** Connections that the server has ended, since the beginning. */
  closed: number
  /** Milliseconds from the time inside an event to its being read. */
  p50: number
  p99: number
}

export interface Attendees {
  report(): Promise<Seen>
  close(): Promise<void>
}

/** Opens `count` streams on the port; `requests` is a file of request heads, or of one for all. */
export async function gather(sink: string, port: number, count: number, requests: string): Promise<Attendees> {
  const child = spawn(sink, [String(port), String(count), requests], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = linesOf(child)
  if ((await lines.next()) !== 'ready') throw new Error('The attendees could not connect.')
  return {
    async report() {
      child.stdin.write('\n')
      return JSON.parse(await lines.next()) as Seen
    },
    close: () => end(child),
  }
}

/** Two crowds as one; the later p50 and p99 of the two. */
export function joined(a: Attendees, b: Attendees): Attendees {
  return {
    async report() {
      const [one, two] = await Promise.all([a.report(), b.report()])
      const sum = (pick: (seen: Seen) => number) => pick(one) + pick(two)
      return {
        events: sum(({ events }) => events),
        bytes: sum(({ bytes }) => bytes),
        closed: sum(({ closed }) => closed),
        p50: Math.max(one.p50, two.p50),
        p99: Math.max(one.p99, two.p99),
      }
    },
    async close() {
      await a.close()
      await b.close()
    },
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

/** Processor time of a process so far, in steps of the kernel's clock tick (10 ms). */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

export function residentKb(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return (Number(pages) * 4_096) / 1_024
}
