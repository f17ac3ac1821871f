// Files of the fake API: the built web, and media in place of rendered slides and spoken sentences.
import { existsSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { wavOf } from '../../test/support/speech-server.ts'

const types: Record<string, string> = {
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  json: 'application/json',
}

export function serveFile(response: ServerResponse, file: string): void {
  if (!existsSync(file)) return void response.writeHead(404).end()
  response.writeHead(200, { 'Content-Type': types[file.split('.').pop() ?? ''] ?? 'application/octet-stream' }).end(readFileSync(file))
}

/** A picture with the slide's number on it, in place of a rendered page. */
function picture(number: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 900"><rect width="1600" height="900" fill="#10231c"/><rect x="120" y="640" width="${160 + number * 180}" height="24" fill="#63c9a1"/><text x="120" y="420" font-family="sans-serif" font-size="200" font-weight="600" fill="#edebe4">${number + 1}</text></svg>`
}

/** True when the address was one of media. */
export function serveMedia(response: ServerResponse, path: string): boolean {
  const slide = /^\/media\/slide-(\d+)\.svg$/.exec(path)
  if (slide !== null) response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(picture(Number(slide[1])))
  else if (path === '/media/clip.wav') response.writeHead(200, { 'Content-Type': 'audio/wav' }).end(wavOf(400))
  else return false
  return true
}
