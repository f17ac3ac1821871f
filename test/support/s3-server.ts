// A bucket on loopback that speaks as much of S3 as blobs need, and refuses what is not signed with its secret (AWS Signature Version 4).
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface TestBucket {
  settings: { address: string; region: string; keyId: string; secret: string }
  objects: Map<string, { bytes: Uint8Array; type: string }>
  /** In parts, and not joined. */
  uploads: Map<string, { type: string; parts: Map<number, Uint8Array> }>
  refusesParts: boolean
  /** What was asked, as `GET key`. */
  asked: string[]
  /** Answers 503 to everything while true. */
  isDown: boolean
  /** What a GET waits for. */
  held: Promise<void>
  close(): void
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const escaped = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.codePointAt(0)?.toString(16).toUpperCase()}`)

function isSigned(request: IncomingMessage, body: Uint8Array, secret: string): boolean {
  const [, scope = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), *SignedHeaders=([^,]+), *Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    ) ?? []
  const [date = '', region = '', service = ''] = scope.split('/')
  const hash = String(request.headers['x-amz-content-sha256'])
  if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) return false
  const url = new URL(request.url ?? '/', 'http://localhost')
  const query = [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .toSorted()
    .join('&')
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`)
  const canonical = [request.method, url.pathname, query, headers.join(''), names, hash].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secret}`)
  return hmac(key, toSign).toString('hex') === signature
}

export async function startBucket(): Promise<TestBucket> {
  const secret = 'secret-of-the-bucket'
  const objects: TestBucket['objects'] = new Map()
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request)
      const url = new URL(request.url ?? '/', 'http://localhost')
      const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'))
      bucket.asked.push(`${request.method} ${key}`)
      const answer = (status: number, content: Uint8Array | string = '', type = 'application/xml') =>
        response
          .writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(content) })
          .end(request.method === 'HEAD' ? '' : content)
      if (bucket.isDown) return answer(503, '<Error><Code>SlowDown</Code><Message>Later.</Message></Error>')
      if (!isSigned(request, body, secret)) return answer(403, '<Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message></Error>')
      const found = objects.get(key)
      const upload = url.searchParams.get('uploadId')
      switch (request.method) {
        case 'POST':
          // An upload in parts: begun, or joined.
          if (upload === null) {
            bucket.uploads.set(`upload-${bucket.uploads.size}`, { type: String(request.headers['content-type']), parts: new Map() })
            return answer(
              200,
              `<InitiateMultipartUploadResult><UploadId>upload-${bucket.uploads.size - 1}</UploadId></InitiateMultipartUploadResult>`,
            )
          } else {
            const { type, parts } = bucket.uploads.get(upload) ?? { type: '', parts: new Map<number, Uint8Array>() }
            objects.set(key, { bytes: Buffer.concat([...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part)), type })
            bucket.uploads.delete(upload)
            return answer(200, '<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>')
          }
        case 'PUT':
          if (upload !== null) {
            const position = Number(url.searchParams.get('partNumber'))
            bucket.uploads.get(upload)?.parts.set(position, body)
            response.setHeader('ETag', `"part-${position}"`)
            return answer(bucket.refusesParts ? 403 : 200)
          }
          objects.set(key, { bytes: body, type: String(request.headers['content-type']) })
          return answer(200)
        case 'DELETE':
          if (upload !== null) {
            bucket.uploads.delete(upload)
            return answer(204)
          }
          objects.delete(key)
          return answer(204)
        default:
          await bucket.held
          if (found === undefined) return answer(404, '<Error><Code>NoSuchKey</Code><Message>No.</Message></Error>')
          const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
          return start === undefined
            ? answer(200, found.bytes, found.type)
            : answer(206, found.bytes.subarray(Number(start), Number(end) + 1), found.type)
      }
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const bucket: TestBucket = {
    settings: { address: `http://127.0.0.1:${port}/talks`, region: 'auto', keyId: 'key', secret },
    objects,
    uploads: new Map(),
    refusesParts: false,
    asked: [],
    isDown: false,
    held: Promise.resolve(),
    close: () => void server.close(),
  }
  return bucket
}
