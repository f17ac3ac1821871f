// Files that the web build has made, and content-addressed media. Names with a hash never change, so they are cached for
// a year; the build has compressed them, so nothing is compressed here.
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Coding } from './accept.ts'
import { takenCodings } from './accept.ts'
import type { FindMedia } from './ports.ts'

const forever = 'public, max-age=31536000, immutable'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

const suffixes: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' }

export interface FileAnswer {
  status: number
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer> | null
}

/** Gives a built file, in the best encoding the caller takes; undefined where there is none of that name. */
export type FindAsset = (name: string, acceptEncoding: string | undefined) => Promise<FileAnswer | undefined>

/** Serves the files of one directory from memory. Only names that the directory lists exist, so no name can leave it. */
export function assetFiles(directory: string, cacheControl = forever): FindAsset {
  let listed: Promise<ReadonlySet<string>> | undefined
  const kept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  const load = (name: string) => {
    const found = kept.get(name) ?? readFile(join(directory, name)).then((bytes) => new Uint8Array(bytes))
    kept.set(name, found)
    return found
  }
  return async (name, acceptEncoding) => {
    listed ??= readdir(directory).then(
      (names) => new Set(names),
      () => new Set<string>(),
    )
    const names = await listed
    const type = types[extname(name)]
    if (type === undefined || !names.has(name)) return undefined
    const coding = takenCodings(acceptEncoding).find((each) => names.has(name + suffixes[each]))
    const headers: Record<string, string> = { 'Content-Type': type, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' }
    if (coding !== undefined) headers['Content-Encoding'] = coding
    return { status: 200, headers, body: await load(coding === undefined ? name : name + suffixes[coding]) }
  }
}

/** One media file: immutable, revalidated by its name, in parts where a player asks for them. */
export async function mediaAnswer(
  find: FindMedia,
  name: string,
  asked: { range?: string; ifNoneMatch?: string },
): Promise<FileAnswer | undefined> {
  const tag = `"${name}"`
  const file = /^[\w.-]{1,128}$/.test(name) ? await find(name) : undefined
  if (file === undefined) return undefined
  const headers: Record<string, string> = {
    'Content-Type': file.type,
    'Cache-Control': forever,
    ETag: tag,
    'Accept-Ranges': 'bytes',
    // Even a file that lied about its type can do nothing; and views in other origins' sandboxes may show it.
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  }
  if (asked.ifNoneMatch?.includes(tag)) return { status: 304, headers, body: null }
  const bytes = new Uint8Array(file.bytes)
  const part = asked.range === undefined ? undefined : partOf(asked.range, bytes.length)
  if (part === undefined) return { status: 200, headers, body: bytes }
  if (part === 'none') return { status: 416, headers: { ...headers, 'Content-Range': `bytes */${bytes.length}` }, body: null }
  headers['Content-Range'] = `bytes ${part.start}-${part.end}/${bytes.length}`
  return { status: 206, headers, body: bytes.subarray(part.start, part.end + 1) }
}

/** One range of bytes (RFC 9110 section 14.1.2); several, or another unit, count as none asked. */
function partOf(range: string, size: number): { start: number; end: number } | 'none' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range.trim())
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  const start = match[1] === '' ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const end = match[1] === '' || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)
  return start > end ? 'none' : { start, end }
}
