// How much memory a process of ours holds, asked from outside: a reader busy inside a decoder cannot answer.
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'

const pageBytes = 4_096

/** Resident bytes; 0 once the process has gone or where nobody can tell. */
export async function residentBytes(pid: number): Promise<number> {
  if (process.platform !== 'linux') return askPs(pid)
  try {
    const statm = await readFile(`/proc/${pid}/statm`, 'latin1')
    return Number(statm.split(' ')[1] ?? 0) * pageBytes
  } catch {
    return 0
  }
}

/**
 * Time in which threads of a process ran or waited for their turn on a busy machine: what it wanted of the processor. Undefined once
 * it has gone or where nobody can tell.
 */
export async function wantedMs(pid: number): Promise<number | undefined> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lines = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').catch(() => '')))
  const times = lines.flatMap((line) => line.split(' ').slice(0, 2)).map(Number)
  return times.length === 0 ? undefined : times.reduce((sum, nanoseconds) => sum + (nanoseconds || 0), 0) / 1_000_000
}

/** Of a process and all that it started in its group; 0 once they have gone or where nobody can tell. */
export async function residentBytesOfGroup(group: number): Promise<number> {
  if (process.platform !== 'linux') return askPs(group, '-g')
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const sizes = await Promise.all(pids.map((pid) => bytesInGroup(pid, group)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The line of a process: its name in brackets may hold anything, what follows is in fixed places (proc(5)). */
async function bytesInGroup(pid: string, group: number): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return Number(fields[2]) === group ? Number(fields[21] ?? 0) * pageBytes : 0
}

function askPs(id: number, by = '-p'): Promise<number> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', by, String(id)], (error, output) => {
      const sizes = error === null ? output.split('\n').map((line) => Number(line.trim()) * 1024 || 0) : []
      resolve(sizes.reduce((sum, size) => sum + size, 0))
    })
  })
}
