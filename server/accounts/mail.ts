// Hands mails to an SMTP server (RFC 5321). The library is loaded with the first mail, so a service that sends none pays nothing.
// A mail waits in the store as a job, sealed, because its link is kept nowhere in clear: one that meets a passing fault is tried again for
// some minutes, also by another process.
import type { Clock, Ids } from '@rostrum/base/clock'
import { lazily } from '@rostrum/base/work'
import { createVault } from '../platform/vault.ts'
import { addJob, type JobKind } from '../platform/db/jobs.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import type { Config } from '../config/config.ts'
import type { RateLimiter } from './limits.ts'

// What the mails say: plain text, one link, who asked for it and what to do if it was somebody else. Names that people chose stand
// in quotation marks and are cut, so that they cannot pass for words of ours.

export interface Message {
  to: string
  subject: string
  text: string
  /** The same as markup. */
  html?: string
  headers?: Readonly<Record<string, string>>
  /** Before the address that mails come from. */
  fromName?: string
  /** An entry of a calendar (RFC 5546). */
  icalEvent?: { method: 'REQUEST' | 'CANCEL'; content: string }
}

const letter = (to: string, subject: string, ...paragraphs: string[]): Message => ({ to, subject, text: `${paragraphs.join('\n\n')}\n` })

interface Linked {
  to: string
  /** The name of this service. */
  title: string
  url: string
}

export const recoveryMail = ({ to, title, url }: Linked) =>
  letter(
    to,
    `A new password for ${title}`,
    `Somebody, probably you, asked for a new password for ${to} at ${title}. Choose one here:`,
    url,
    'The link works once, for 30 minutes. All browsers that are signed in are then signed out.',
    'If it was not you, do nothing: your password stays as it is.',
  )

export const invitationMail = ({ to, title, url, account, from }: Linked & { account: string; from: string }) =>
  letter(
    to,
    `An invitation to ${title}`,
    `${quoted(from)} invites you to the account ${quoted(account)} at ${title}. Join here:`,
    url,
    `The link works once, for 7 days, for ${to} alone.`,
    'If you do not know the sender, do nothing.',
  )

export const verifyMail = ({ to, title, url }: Linked) =>
  letter(
    to,
    `Confirm your address for ${title}`,
    `Somebody, probably you, wants to sign in to ${title} with ${to} from now on. Confirm it here, in the browser you are signed in with:`,
    url,
    'The link works once, for 24 hours, and only for the person who asked.',
    'If it was not you, do nothing: nothing changes.',
  )

/** To the old address, after the change: whoever took over a browser cannot do it unseen. */
export const addressChangedMail = ({ to, title }: Omit<Linked, 'url'>) =>
  letter(
    to,
    `Your address at ${title} was changed`,
    `You no longer sign in to ${title} with ${to}. The new address was confirmed a moment ago.`,
    'If it was not you, tell whoever runs the service at once: they can give you a new password.',
  )

export interface ReportedTalk {
  sessionId: string
  title: string
  /** Null: a rehearsal, whose address is a secret of its host. */
  roomUrl: string | null
  reason: string
  words: string
  unverified: boolean
}

/** To the operator. What strangers wrote stands in quotation marks, cut. */
const reportMail = (to: string, service: string, { title, roomUrl, reason, words, sessionId, unverified }: ReportedTalk) =>
  letter(
    to,
    `A talk at ${service} was reported`,
    `Somebody reported the talk ${quoted(title)} at ${service}. Their reason: ${reason}.`,
    ...(words === '' ? [] : [quoted(words, wordsMax)]),
    ...(unverified ? ['An agent made it that nobody has claimed.'] : []),
    roomUrl === null ? 'They were in its rehearsal.' : `Its room: ${roomUrl}`,
    `To close it: rostrum session unpublish ${sessionId} --all-accounts\nTo remove it: rostrum session delete ${sessionId} --all-accounts\nTo end an agent: rostrum agent list, then rostrum agent revoke <id>`,
    'All reports: rostrum audit list --action session.reported',
  )

const nameMax = 80
const wordsMax = 1_000

export function quoted(name: string, max = nameMax): string {
  const flat = name.replaceAll(/["“”\s]+/g, ' ').trim()
  return `“${flat.length > max ? `${flat.slice(0, max)}...` : flat}”`
}

export interface MailerOptions {
  /** `smtp://` (STARTTLS where the server offers it, always with a password) or `smtps://`. */
  url: string
  /** `Name <address>`. */
  from: string
  store: Store
  clock: Clock
  ids: Ids
  /** `ROSTRUM_SECRET`: the first seals what waits, all open. */
  secrets: readonly string[]
  /** A mail was given up. The error names no address, link or password. */
  onFailure: (error: Error) => void
}

/** `waiting`: it is tried again, or the server takes its time. `refused`: it will not arrive. */
export type MailOutcome = 'sent' | 'waiting' | 'refused'

export interface MailFault {
  words: string
  /** The same mail would be refused again. */
  isFinal: boolean
}

/** For jobs that keep their mails themselves. */
export interface MailLine {
  /**
   * One try; null where the server has taken it. `key` makes its `Message-ID`, the same for every
   * try: between the server's word and its record a kill has the mail sent again, and who gets it twice may know.
   */
  handOver(key: string, message: Message): Promise<MailFault | null>
  /** The address that mails come from. */
  sender: string
}

export interface Mailer {
  /** Resolves after the first try, at the latest after five seconds; never rejects. */
  send(message: Message): Promise<MailOutcome>
  /** In the transaction of what it tells of; nobody waits for it. */
  queue(tx: Tx, message: Message): Promise<void>
}

export const mailKind = 'mail'

/** After the first and the second try. Greylisting servers take a mail after about five minutes. */
const retryMs = [60_000, 360_000]
const answerMs = 5_000
/** Beyond it mails are refused: somebody is asking for more than a person reads. */
const waitingMax = 200
const fullWords = 'A mail was not sent: too many wait already.'
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** `job` hands over the mails of all processes (`storage/jobs.ts`). */
export function createMailer({ url, from, store, clock, ids, secrets, onFailure }: MailerOptions): Mailer & MailLine & { job: JobKind } {
  const vault = createVault(secrets, ids)
  const sender = from.slice(from.lastIndexOf('<') + 1).replace('>', '')
  const domain = sender.slice(sender.lastIndexOf('@') + 1)
  /** Who waits to hear of a mail. */
  const told = new Map<string, (outcome: MailOutcome) => void>()
  const transport = lazily(() => openTransport(url))

  /** False where too many wait already. */
  async function put(tx: Tx, key: string, message: Message): Promise<boolean> {
    const data = Buffer.from(vault.seal(Buffer.from(JSON.stringify(message)), key)).toString('base64')
    const waiting = tx.selectFrom('jobs').select('key').where('kind', '=', mailKind).limit(waitingMax)
    if ((await waiting.execute()).length >= waitingMax) return false
    await addJob(tx, mailKind, { key, data, dueAt: clock.now() })
    return true
  }

  async function handOver(key: string, { fromName: name, ...message }: Message): Promise<MailFault | null> {
    try {
      const headers = { 'Auto-Submitted': 'auto-generated', ...message.headers }
      const messageId = `<${key}@${domain}>`
      const fields = { from: name === undefined ? from : { name, address: sender }, headers, messageId, date: new Date(clock.now()) }
      await (await transport()).sendMail({ ...message, ...fields })
      return null
    } catch (error) {
      return { words: `A mail could not be handed over: ${reasonOf(error)}`, isFinal: isFinal(error) }
    }
  }

  const refuse = (words: string, cause?: unknown): 'refused' => {
    onFailure(new Error(words, cause === undefined ? {} : { cause }))
    return 'refused'
  }

  return {
    handOver,
    sender,
    async send(message) {
      const key = ids.uuid()
      const { promise, resolve } = Promise.withResolvers<MailOutcome>()
      told.set(key, resolve)
      const cancel = clock.after(answerMs, () => resolve('waiting'))
      try {
        return (await store.write((tx) => put(tx, key, message))) ? await promise : refuse(fullWords)
      } catch (error) {
        return refuse('A mail could not be kept.', error)
      } finally {
        cancel()
        told.delete(key)
      }
    },
    async queue(tx, message) {
      if (!(await put(tx, ids.uuid(), message))) refuse(fullWords)
    },
    job: {
      retryMs,
      async run({ key, data, isLast }) {
        const tell = (outcome: MailOutcome): void => told.get(key)?.(outcome)
        const opened = vault.open(Buffer.from(data, 'base64'), key)
        if (opened === undefined) return tell(refuse('A mail cannot be opened: is ROSTRUM_SECRET the one it was written with?'))
        // Sealed by `put`.
        const fault = await handOver(key, JSON.parse(opened.toString()) as Message)
        if (fault === null) return tell('sent')
        if (isLast || fault.isFinal) return tell(refuse(fault.words))
        tell('waiting')
        throw new Error(fault.words)
      },
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

// Mails what people report to the operator: to the address that the configuration names, else to the owner of the service. Whoever sends
// more than a person reads is heard in the audit log alone.

const mails = { name: 'report-mail', count: 20, windowMs: 3_600_000 }

interface ReportDeps {
  store: Store
  clock: Clock
  limiter: Pick<RateLimiter, 'take'>
  /** Absent where the service sends no mail. */
  mail?: Mailer | undefined
  settings: Pick<Config, 'title'>
}

export async function mailReport(
  { store, clock, limiter, mail, settings }: ReportDeps,
  operatorEmail: string | null,
  report: ReportedTalk,
): Promise<void> {
  const to = mail && (operatorEmail ?? (await ownerEmail(store.read)))
  if (mail === undefined || to === undefined) return
  const verdict = await limiter.take([{ policy: mails, key: 'all' }], clock.now(), true)
  if (verdict.allowed) await store.write((tx) => mail.queue(tx, reportMail(to, settings.title, report)))
}

/** Of whoever has owned the first account longest. */
async function ownerEmail(read: Reader): Promise<string | undefined> {
  const row = await read
    .selectFrom('memberships as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('u.email')
    .where('a.is_owner', '=', 1)
    .where('m.role', '=', 'owner')
    .where('u.disabled_at', 'is', null)
    .orderBy('m.created_at')
    .limit(1)
    .executeTakeFirst()
  return row?.email
}
