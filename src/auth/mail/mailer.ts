// Hands mails to an SMTP server (RFC 5321). The library is loaded with the first mail, so a service that sends none pays nothing.
// A mail that meets a passing fault is tried again for some minutes; it waits in memory, because its link is kept nowhere in clear.
import type { Clock } from '../../kernel/clock.ts'
import type { Message } from './messages.ts'

export interface MailerOptions {
  /** `smtp://` (STARTTLS where the server offers it, always with a password) or `smtps://`. */
  url: string
  /** `Name <address>`. */
  from: string
  clock: Clock
  /** A mail was given up, or background work failed. The error names no address, link or password. */
  onFailure: (error: Error) => void
}

/** `waiting`: it is tried again, or the server takes its time. `refused`: it will not arrive. */
export type MailOutcome = 'sent' | 'waiting' | 'refused'

export interface Mailer {
  /** Resolves after the first try, at the latest after five seconds; never rejects. */
  send(message: Message): Promise<MailOutcome>
  /** Runs `work` after the answer that is being given: what it does shows in no answer's time. */
  afterAnswer(work: () => Promise<void>): void
  /** Lets running tries end; what waits for another try is given up. */
  close(): Promise<void>
}

/** After the first and the second try. Greylisting servers take a mail after about five minutes. */
const retryMs = [60_000, 360_000]
const answerMs = 5_000
/** Beyond it mails are refused: somebody is asking for more than a person reads. */
const waitingMax = 200
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

export function createMailer({ url, from, clock, onFailure }: MailerOptions): Mailer {
  const running = new Set<Promise<unknown>>()
  const timers = new Set<() => void>()
  let isClosed = false
  const transport = once(() => openTransport(url))

  function run<T>(work: Promise<T>): Promise<T> {
    running.add(work)
    void work.then(
      () => running.delete(work),
      () => running.delete(work),
    )
    return work
  }

  function later(ms: number, work: () => void): () => void {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel)
      work()
    })
    timers.add(cancel)
    return () => {
      timers.delete(cancel)
      cancel()
    }
  }

  async function attempt(message: Message, tries: number): Promise<MailOutcome> {
    try {
      const headers = { 'Auto-Submitted': 'auto-generated' }
      await (await transport()).sendMail({ ...message, from, headers, date: new Date(clock.now()) })
      return 'sent'
    } catch (error) {
      const waitMs = retryMs[tries]
      if (isClosed || waitMs === undefined || isFinal(error)) {
        onFailure(new Error(`A mail could not be handed over: ${reasonOf(error)}`))
        return 'refused'
      }
      later(waitMs, () => void run(attempt(message, tries + 1)))
      return 'waiting'
    }
  }

  return {
    async send(message) {
      if (running.size + timers.size >= waitingMax) {
        onFailure(new Error('A mail was not sent: too many wait already.'))
        return 'refused'
      }
      const { promise, resolve } = Promise.withResolvers<MailOutcome>()
      const cancel = later(answerMs, () => resolve('waiting'))
      void run(attempt(message, 0)).then(resolve)
      return promise.finally(cancel)
    },
    afterAnswer(work) {
      if (running.size + timers.size >= waitingMax) return
      later(0, () => void run(work().catch((error: unknown) => onFailure(new Error('A mail could not be written.', { cause: error })))))
    },
    async close() {
      isClosed = true
      for (const cancel of timers) cancel()
      timers.clear()
      await Promise.allSettled(running)
    },
  }
}

async function openTransport(url: string) {
  const { createTransport } = await import('nodemailer')
  const { username, hostname } = new URL(url)
  const requireTLS = username !== '' && !isLoopback(hostname)
  return createTransport({ url, requireTLS, disableFileAccess: true, disableUrlAccess: true, ...timeouts })
}

/** Connects and signs in as for a mail, and sends none; undefined where that works, else why not. */
export async function smtpProblem(url: string): Promise<string | undefined> {
  try {
    await (await openTransport(url)).verify()
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

/** A reply of the class 5yz (RFC 5321 section 4.2.1): the same mail would be refused again. */
function isFinal(error: unknown): boolean {
  return replyOf(error) >= 500
}

function replyOf(error: unknown): number {
  return error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : 0
}

/** The reply of a server may repeat the address, so its words are left out. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no code'
  return replyOf(error) === 0 ? code : `${code}, the server answered ${replyOf(error)}`
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
