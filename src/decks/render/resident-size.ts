// How much memory a process of ours holds, asked from outside: a reader busy inside a decoder cannot answer.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'

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

function askPs(pid: number): Promise<number> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, output) => resolve(error === null ? Number(output.trim()) * 1024 || 0 : 0))
  })
}
