// Draws PowerPoint slides as they look, through the LibreOffice that the operator names in `ROSTRUM_SOFFICE`: a file goes in, a PDF
// comes out, which the reader process takes apart like any other. LibreOffice knows no sandbox of ours, so it gets a directory and a
// profile of its own, no settings of anybody, no way to the network or to linked files, and is killed with all it started at a limit.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Clock } from '@rostrum/base/clock'
import { residentBytesOfGroup, watchMemory } from '@rostrum/base/engine'

export interface OfficeLimits {
  /** A deck takes 7 to 14 s. */
  timeMs: number
  /** Of the program and all it started. */
  memoryBytes: number
  pdfBytes: number
}

export const officeLimits: OfficeLimits = { timeMs: 120_000, memoryBytes: 1_536 * 1024 * 1024, pdfBytes: 100 * 1024 * 1024 }

/** What is drawn by an office program, by the end of the file's name. */
const presentationKinds = ['pptx', 'odp', 'ppt'] as const
export type OfficeExtension = (typeof presentationKinds)[number]

export const isPresentation = (kind: string): kind is OfficeExtension => presentationKinds.some((one) => one === kind)

export interface OfficeJob {
  file: Uint8Array
  extension: OfficeExtension
  to: 'pdf' | 'pptx'
}

/** What can draw presentations, or write them anew. */
export interface Office {
  /** Rejects once `signal` is aborted. */
  convert(job: OfficeJob, signal?: AbortSignal): Promise<Drawn>
  close(): void
}

export type Drawn =
  | { ok: true; file: Uint8Array }
  /** `words` are for the owner of the deck, `detail` for the operator. */
  | { ok: false; words: string; detail: string; /** What of `words` tells it of any program. */ cause: string }

export interface OfficeOptions {
  limits?: OfficeLimits
  /** Aborted: the program is killed and the call rejects. */
  signal?: AbortSignal
}

const usualPath = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'
const detailMax = 500
/** A port that nobody answers: the proxy of whoever has no business on the network. */
const nowhere = 'http://127.0.0.1:9'

/** `program`: a path, or a name in one of the usual directories. */
export function officeOf(program: string, clock: Clock): Office {
  return { convert: (job, signal) => convertWith(program, job, clock, signal && { signal }), close: () => {} }
}

export async function convertWith(program: string, job: OfficeJob, clock: Clock, options: OfficeOptions = {}): Promise<Drawn> {
  const { limits = officeLimits, signal } = options
  const home = await mkdtemp(join(tmpdir(), 'rostrum-office-'))
  try {
    const profile = join(home, 'profile')
    await mkdir(join(profile, 'user'), { recursive: true })
    await mkdir(join(home, 'made'))
    await writeFile(join(profile, 'user/registrymodifications.xcu'), settings)
    const source = join(home, `deck.${job.extension}`)
    await writeFile(source, job.file)
    // Beside the file that it is made of, which may have the same name.
    const made = join(home, 'made')
    const end = await run(program, argumentsFor(source, made, profile, job.to), home, clock, limits, signal)
    if (end.cause !== 'ended') return refused(end.cause, end.said)
    const pdf = join(made, `deck.${job.to}`)
    const size = await stat(pdf).then(
      (found) => found.size,
      () => 0,
    )
    if (size === 0) return refused('no_pdf', end.said)
    if (size > limits.pdfBytes) return refused('pdf_size', `${size} bytes`)
    return { ok: true, file: await readFile(pdf) }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 })
  }
}

const causes = {
  start: 'could not be started',
  free_memory: 'needs more memory than is free',
  crash: 'ended without a result',
  time: 'took too long',
  memory: 'needed too much memory',
  no_pdf: 'could not read the file',
  pdf_size: 'made a file that is too large',
} as const

export function refused(cause: keyof typeof causes, detail: string): Drawn {
  const words = `The slides are typeset from their text and pictures, not as they look: the program that draws them ${causes[cause]}.`
  return { ok: false, words, cause: causes[cause], detail: `${causes[cause]}${detail === '' ? '' : `: ${detail}`}` }
}

function argumentsFor(source: string, made: string, profile: string, to: OfficeJob['to']): string[] {
  const quiet = ['--headless', '--norestore', '--nologo', '--nodefault', '--nolockcheck', '--nofirststartwizard']
  const convert = ['--convert-to', to === 'pdf' ? 'pdf:impress_pdf_Export' : 'pptx', '--outdir', made, source]
  return [...quiet, `-env:UserInstallation=${pathToFileURL(profile).href}`, ...convert]
}

/** What is linked is not loaded, what is programmed is not run, and what asks for the network finds none. */
const item = (path: string, name: string, value: string) =>
  `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`
const settings = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${[
  item('Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'),
  item('Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'),
  item('Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'),
  item('Inet/Settings', 'ooInetProxyType', '2'),
  item('Inet/Settings', 'ooInetHTTPProxyName', '127.0.0.1'),
  item('Inet/Settings', 'ooInetHTTPProxyPort', '9'),
  item('Inet/Settings', 'ooInetHTTPSProxyName', '127.0.0.1'),
  item('Inet/Settings', 'ooInetHTTPSProxyPort', '9'),
  item('Inet/Settings', 'ooInetNoProxy', ''),
].join('\n')}
</oor:items>
`

interface End {
  cause: 'ended' | 'start' | 'time' | 'memory'
  /** The last of what it wrote to its error output. */
  said: string
}

/** Resolves once the program and all it started have ended: they hold its error output open until then. */
function run(program: string, args: string[], home: string, clock: Clock, limits: OfficeLimits, signal?: AbortSignal): Promise<End> {
  const { promise, resolve, reject } = Promise.withResolvers<End>()
  const env = { PATH: usualPath, HOME: home, TMPDIR: home, LANG: 'C.UTF-8', http_proxy: nowhere, https_proxy: nowhere }
  // A group of its own: LibreOffice is a script that starts a program that starts another.
  const child = spawn(program, args, { cwd: home, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  let cause: End['cause'] = 'ended'
  let said = ''
  const stopTimer = clock.after(limits.timeMs, () => kill('time'))
  const stopWatching = watchMemory(
    clock,
    limits.memoryBytes,
    () => residentBytesOfGroup(child.pid ?? 0),
    () => kill('memory'),
  )

  function kill(why: End['cause'] = cause): void {
    cause = why
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All of them have gone already.
    }
  }
  const onAbort = () => kill()
  child.stderr.on('data', (chunk: Buffer) => void (said = (said + chunk.toString()).slice(-detailMax)))
  child.on('error', (error) => {
    cause = 'start'
    said = error.message
  })
  // What it may have left behind goes with it.
  child.on('exit', () => kill())
  child.on('close', () => {
    stopTimer()
    stopWatching()
    signal?.removeEventListener('abort', onAbort)
    if (signal?.aborted === true) reject(new Error('The drawing was called off.'))
    else resolve({ cause, said: said.trim() })
  })
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  return promise
}
