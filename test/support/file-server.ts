// A server of large files on loopback, with ranges, that breaks off where it is told to.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FileServer {
  origin: string
  files: Map<string, Uint8Array>
  /** Byte offsets at which the next answers break off, one each. */
  cuts: number[]
  /** What a break waits for. */
  beforeCut: (at: number) => Promise<void>
  /** Answers the whole file whatever range is asked for. */
  hasRanges: boolean
  /** `path` and the range, in the order of the requests. */
  asked: string[]
  close(): Promise<void>
}

export async function startFileServer(): Promise<FileServer> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const bytes = state.files.get(path)
    const from = state.hasRanges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0
    state.asked.push(`${path} ${request.headers.range ?? ''}`.trim())
    if (bytes === undefined) return void response.writeHead(404).end()
    if (from >= bytes.length) return void response.writeHead(416).end()
    const rest = bytes.subarray(from)
    const range = from === 0 ? {} : { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }
    response.writeHead(from === 0 ? 200 : 206, { 'Content-Length': rest.length, ...range })
    const cut = state.cuts.shift()
    if (cut === undefined) response.end(rest)
    else {
      response.write(rest.subarray(0, Math.max(0, cut - from)))
      void state.beforeCut(cut).then(() => response.destroy())
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const state: FileServer = {
    origin: `http://127.0.0.1:${port}`,
    files: new Map(),
    cuts: [],
    beforeCut: () => Promise.resolve(),
    hasRanges: true,
    asked: [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return state
}
