// A small SMTP server (RFC 5321) on loopback: EHLO, STARTTLS, AUTH PLAIN and LOGIN, one mail at a time. It keeps what it was sent,
// and refuses what the test tells it to.
import type { Socket } from 'node:net'
import { createServer } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { TestCertificate } from './certificate.ts'

export interface ReceivedMail {
  from: string
  to: readonly string[]
  headers: ReadonlyMap<string, string>
  text: string
  /** By media type: the parts of one that has several. */
  parts: ReadonlyMap<string, string>
  /** Whether the connection was encrypted. */
  isSecure: boolean
  /** Who signed in, or null. */
  user: string | null
}

export interface SmtpServer {
  port: number
  mails: ReceivedMail[]
  connections(): number
  /** The next `RCPT` are answered with these, in order; then all are taken. */
  refuseNext(...replies: readonly string[]): void
  /** Takes connections and says nothing. */
  fallSilent(): void
  close(): Promise<void>
}

export interface SmtpOptions {
  certificate?: TestCertificate
  login?: { user: string; pass: string }
}

export async function openSmtpServer({ certificate, login }: SmtpOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  let refusals: string[] = []
  let [isSilent, connections] = [false, 0]

  function serve(socket: Socket, isSecure: boolean): void {
    let [buffered, isData, user, from] = ['', false, null as string | null, '']
    let to: string[] = []
    let expects: ((line: string) => void) | undefined
    const say = (...lines: readonly string[]) => socket.write(lines.map((line) => `${line}\r\n`).join(''))
    const signIn = (name: string | undefined, pass: string | undefined) => {
      const isRight = login !== undefined && name === login.user && pass === login.pass
      if (isRight) user = login.user
      say(isRight ? '235 2.7.0 Welcome' : '535 5.7.8 Wrong name or password')
    }
    const commands: Readonly<Record<string, (rest: string) => void>> = {
      EHLO() {
        const offers = [
          ...(certificate !== undefined && !isSecure ? ['STARTTLS'] : []),
          ...(login === undefined ? [] : ['AUTH PLAIN LOGIN']),
        ]
        const all = ['test.example', ...offers, '8BITMIME']
        say(...all.map((word, at) => `250${at === all.length - 1 ? ' ' : '-'}${word}`))
      },
      STARTTLS() {
        if (certificate === undefined) return void say('502 5.5.1 Not here')
        say('220 2.0.0 Go on')
        socket.removeAllListeners('data')
        serve(new TLSSocket(socket, { isServer: true, ...certificate }), true)
      },
      AUTH(rest) {
        const [kind, first] = rest.split(' ')
        if (kind === 'PLAIN' && first !== undefined) {
          const [, name, pass] = decoded(first).split('\u0000')
          return signIn(name, pass)
        }
        say('334 VXNlcm5hbWU6')
        expects = (name) => {
          say('334 UGFzc3dvcmQ6')
          expects = (pass) => signIn(decoded(name), decoded(pass))
        }
      },
      MAIL(rest) {
        if (login !== undefined && user === null) return void say('530 5.7.0 Sign in first')
        from = /<([^>]*)>/.exec(rest)?.[1] ?? ''
        to = []
        say('250 2.1.0 Ok')
      },
      RCPT(rest) {
        const refusal = refusals.shift()
        if (refusal === undefined) to.push(/<([^>]*)>/.exec(rest)?.[1] ?? '')
        say(refusal ?? '250 2.1.5 Ok')
      },
      DATA() {
        isData = true
        say('354 End with a dot')
      },
      RSET: () => void say('250 2.0.0 Ok'),
      QUIT() {
        say('221 2.0.0 Bye')
        socket.end()
      },
    }

    function onLine(line: string): void {
      if (expects !== undefined) {
        const take = expects
        expects = undefined
        return take(line)
      }
      const [verb = '', ...rest] = line.split(' ')
      const command = commands[verb.toUpperCase()]
      if (command === undefined) say('500 5.5.2 What?')
      else command(rest.join(' '))
    }

    function onText(): void {
      if (isData) {
        const end = buffered.indexOf('\r\n.\r\n')
        if (end === -1) return
        mails.push({ from, to, isSecure, user, ...readMail(buffered.slice(0, end)) })
        buffered = buffered.slice(end + 5)
        isData = false
        say('250 2.0.0 Kept')
      }
      for (let end = buffered.indexOf('\r\n'); end !== -1 && !isData; end = buffered.indexOf('\r\n')) {
        const line = buffered.slice(0, end)
        buffered = buffered.slice(end + 2)
        onLine(line)
      }
    }

    socket.on('data', (chunk: Buffer) => {
      buffered += chunk.toString('utf8')
      onText()
    })
    socket.on('error', () => socket.destroy())
    if (!isSecure && !isSilent) say('220 test.example ESMTP')
  }

  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, false)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    mails,
    connections: () => connections,
    refuseNext: (...replies) => (refusals = [...replies]),
    fallSilent: () => (isSilent = true),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')

/** Headers unfolded; the body of one part, out of quoted-printable or base64 where it is in that, dots unstuffed. */
function readMail(source: string): Pick<ReceivedMail, 'headers' | 'text' | 'parts'> {
  const end = source.indexOf('\r\n\r\n')
  const lines = source
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]))
  const body = source.slice(end + 4).replaceAll('\r\n..', '\r\n.')
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase()
  const text = encoding === 'base64' ? decoded(body) : encoding === 'quoted-printable' ? unquoted(body) : body
  const boundary = /boundary="?([^";]+)/.exec(headers.get('content-type') ?? '')?.[1]
  if (boundary === undefined) return { headers, text: text.replaceAll('\r\n', '\n'), parts: new Map() }
  const inner = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => readMail(part.replace(/^\r\n/, '').replace(/\r\n$/, '')))
  const typeOf = (part: ReturnType<typeof readMail>) => part.headers.get('content-type')?.split(';')[0] ?? 'text/plain'
  const parts = new Map(inner.flatMap((part) => (part.parts.size > 0 ? [...part.parts] : [[typeOf(part), part.text] as const])))
  return { headers, text: parts.get('text/plain') ?? '', parts }
}

function unquoted(text: string): string {
  const bytes = text
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** The one link of a mail. */
export function linkIn({ text }: Pick<ReceivedMail, 'text'>): URL {
  const [found = ''] = /https?:\/\/\S+/.exec(text) ?? []
  return new URL(found)
}
