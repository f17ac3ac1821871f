// What a browser transfers, gzipped. Needs a build: `npm run build`; skips where there is none.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { WebBundle } from '../src/server/types.ts'
import { roomView } from './scripted-talk.ts'

const dist = join(import.meta.dirname, '../dist')
const skip = existsSync(join(dist, 'server/render.js')) ? false : 'not built'
const kib = (bytes: number) => bytes / 1_024

interface Chunk {
  file: string
  isEntry?: boolean
  imports?: readonly string[]
  css?: readonly string[]
}

function manifest(name: string): Record<string, Chunk> {
  return JSON.parse(readFileSync(join(dist, `client/.vite/${name}.json`), 'utf8')) as Record<string, Chunk>
}

function size(file: string): number {
  return gzipSync(readFileSync(join(dist, 'client', file)), { level: 9 }).length
}

/** The entry and all it imports at once. */
function firstLoad(chunks: Record<string, Chunk>, name: string, seen = new Set<string>()): Set<string> {
  const chunk = chunks[name]
  if (chunk === undefined || seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const file of chunk.css ?? []) seen.add(file)
  for (const each of chunk.imports ?? []) firstLoad(chunks, each, seen)
  return seen
}

const sum = (files: Iterable<string>) => kib([...files].reduce((total, file) => total + size(file), 0))

test('the script that the room loads first stays within 45 KiB', { skip }, () => {
  const total = sum([...firstLoad(manifest('room'), 'src/room/entry.tsx')].filter((file) => file.endsWith('.js')))
  assert.ok(total <= 45, `${total.toFixed(2)} KiB`)
})

test('the style of the room stays within 14 KiB and its HTML, words and style included, within 14', { skip }, async () => {
  const style = manifest('styles')['src/room/room.css']
  assert.ok(style !== undefined && kib(size(style.file)) <= 14)
  const bundle = (await import(join(dist, 'server/render.js'))) as WebBundle
  for (const language of ['en', 'de', 'ar', 'ja'] as const) {
    const html = bundle.renderRoom(roomView('isolated', 'welcome'), {
      nonce: 'n',
      baseUrl: 'http://localhost',
      siteTitle: 'Rostrum',
      language,
      key: 'welcome',
      follows: [],
    })
    const bytes = kib(gzipSync(html, { level: 9 }).length)
    assert.ok(bytes <= 14, `${language}: ${bytes.toFixed(1)} KiB`)
    assert.doesNotMatch(html, /\sstyle="/, 'the content policy blocks style attributes')
  }
})

test('the first load of the dashboard stays within 90 KiB, each of its later chunks within 60', { skip }, () => {
  const chunks = manifest('dashboard')
  const first = firstLoad(chunks, 'src/dashboard/entry.tsx')
  assert.ok(sum(first) <= 90, `first load ${sum(first).toFixed(1)} KiB`)
  for (const { file } of Object.values(chunks)) if (!first.has(file) && /\.(js|css)$/.test(file)) assert.ok(kib(size(file)) <= 60, file)
})
