// Compresses text answers for who takes it (RFC 9110 section 8.4), and only those whose length may be known to anybody: beside a secret,
// text of an attacker's choosing would tell that secret by the length of the whole (BREACH).
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { takenCodings } from './accept.ts'
import type { Answer } from './answer.ts'
import type { Encode } from './kept-codings.ts'
import { keptCodings } from './kept-codings.ts'

/** Pages and documents shorter than this are sent as they are. */
const documentMin = 1_024
/** JSON of an operation: most answers are small, and a program on a fast line would only wait. */
const jsonMin = 4_096

const codecs = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
}
/** What costs about a millisecond for a page; the highest level costs fifty. */
const options = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }, gzip: { level: 6 } } as const

const textual = /^(text\/(html|plain|markdown|css|csv|xml)|application\/([a-z.-]+\+)?(json|xml|yaml)|image\/svg\+xml)\b/

async function encoded(text: string | Uint8Array<ArrayBuffer>, coding: 'br' | 'gzip'): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  return new Uint8Array(coding === 'br' ? await codecs.br(bytes, options.br) : await codecs.gzip(bytes, options.gzip))
}

/** How the answers of one surface are encoded: what is public comes again, so its forms are kept. */
export const documentCodings = (): Encode => keptCodings(encoded)

/**
 * The answer of a page or a document. One with `no-store` (sign-in, consent, claim: they hold a token against forgery), one that sets a
 * cookie, one that is encoded already and one that is no text stay as they are.
 */
export async function compressedResponse(response: Response, accept: string | undefined, kept: Encode): Promise<Response> {
  const { headers, status } = response
  if (status === 204 || status === 206 || status === 304 || headers.has('Content-Encoding') || headers.has('Set-Cookie')) return response
  if (headers.get('Cache-Control')?.includes('no-store') || !textual.test(headers.get('Content-Type') ?? '')) return response
  headers.append('Vary', 'Accept-Encoding')
  const [coding] = takenCodings(accept)
  if (coding === undefined) return response
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.length < documentMin) return new Response(bytes, { status, headers })
  headers.delete('Content-Length')
  markCoding(headers, coding)
  const encode = headers.get('Cache-Control')?.startsWith('public') ? kept : encoded
  return new Response(await encode(bytes, coding), { status, headers })
}

function markCoding(headers: Headers, coding: string): void {
  headers.set('Content-Encoding', coding)
  const tag = headers.get('ETag')
  if (tag !== null) headers.set('ETag', weak(tag))
}

/** A strong tag names bytes; the same content in another coding has others. */
const weak = (tag: string) => (tag.startsWith('W/') ? tag : `W/${tag}`)

/**
 * The body of an operation's answer, or undefined where it goes as it is: it is small, secret, or asked for with a cookie. Another site
 * can make a browser send its cookie, but never a bearer token.
 */
export function compressedAnswer(
  answer: Answer,
  asked: { accept: string | undefined; hasCookie: boolean },
): Promise<Uint8Array<ArrayBuffer>> | undefined {
  const { body, headers } = answer
  if (body === null || body.length < jsonMin || asked.hasCookie || headers['Cache-Control'] === 'no-store') return undefined
  headers['Vary'] = headers['Vary'] === undefined ? 'Accept-Encoding' : `${headers['Vary']}, Accept-Encoding`
  const [coding] = takenCodings(asked.accept)
  if (coding === undefined) return undefined
  headers['Content-Encoding'] = coding
  if (headers['ETag'] !== undefined) headers['ETag'] = weak(headers['ETag'])
  return encoded(body, coding)
}
