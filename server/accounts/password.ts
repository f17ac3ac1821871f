// Passwords: argon2id as PHC strings (RFC 9106), two computations at once and a bounded queue, so that a burst of sign-ins
// costs waiting and not the whole machine.
import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { PasswordFault } from '@rostrum/contract/people-pages'
import type { Ids } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import { atMost } from '@rostrum/base/work'

export interface PasswordCost {
  memoryKib: number
  passes: number
}

/** OWASP's second set for argon2id: 40 to 90 ms on a two-core machine. */
export const defaultCost: PasswordCost = { memoryKib: 19_456, passes: 2 }

export type Passwords = ReturnType<typeof createPasswords>

const atOnce = 2
const queueMax = 50
const tagLength = 32
const derive = promisify(argon2)

/** Throws `temporarily_unavailable` where 50 are already waiting. */
export function createPasswords(ids: Ids, cost: PasswordCost = defaultCost) {
  const enqueue = atMost(atOnce, (waiting) => {
    if (waiting < queueMax) return
    throw new ServiceError('temporarily_unavailable', 'Too many sign-ins at once.', { headers: { 'Retry-After': '2' } })
  })
  const compute = (password: string, nonce: Uint8Array, { memoryKib, passes }: PasswordCost): Promise<Buffer> =>
    enqueue(() => derive('argon2id', { message: normal(password), nonce, parallelism: 1, tagLength, memory: memoryKib, passes }))
  const dummy = { ...cost, salt: ids.bytes(16), tag: ids.bytes(tagLength) }
  return {
    /** The PHC string to keep. */
    async hash(password: string): Promise<string> {
      const salt = ids.bytes(16)
      return phcOf(cost, salt, await compute(password, salt, cost))
    },
    /** Costs the same for `undefined` (nobody has this email address) as for a wrong password. */
    async verify(password: string, phc: string | null | undefined): Promise<{ matches: boolean; isOutdated: boolean }> {
      const kept = phc ? parsePhc(phc) : undefined
      const against = kept ?? dummy
      const tag = await compute(password, against.salt, against)
      const matches = kept !== undefined && tag.length === against.tag.length && timingSafeEqual(tag, against.tag)
      return { matches, isOutdated: against.memoryKib < cost.memoryKib || against.passes < cost.passes }
    },
  }
}

/** One text for what different keyboards send for the same letters. */
function normal(password: string): string {
  return password.normalize('NFC')
}

const unpadded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '')

function phcOf({ memoryKib, passes }: PasswordCost, salt: Uint8Array, tag: Uint8Array): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${unpadded(salt)}$${unpadded(tag)}`
}

function parsePhc(phc: string): (PasswordCost & { salt: Uint8Array; tag: Uint8Array }) | undefined {
  const [, m, t, salt = '', tag = ''] = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=1\$([^$]+)\$([^$]+)$/.exec(phc) ?? []
  if (m === undefined) return undefined
  return { memoryKib: Number(m), passes: Number(t), salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') }
}

const charactersMin = 12
const bytesMax = 1_024

const faultWords: Readonly<Record<PasswordFault, string>> = {
  short: `Use at least ${charactersMin} characters.`,
  long: `Use at most ${bytesMax} bytes.`,
  personal: 'Use something other than your email address or a name.',
  common: 'This password is on lists of common ones. Use another.',
}

/** Why a password cannot be used, or undefined. `personal` are its owner's email, name and account. */
export async function passwordFault(password: string, personal: readonly string[]): Promise<PasswordFault | undefined> {
  const text = normal(password)
  if (Array.from(text).length < charactersMin) return 'short'
  if (Buffer.byteLength(text) > bytesMax) return 'long'
  const folded = text.toLowerCase()
  if (personal.some((own) => own.trim().normalize('NFC').toLowerCase() === folded)) return 'personal'
  return (await commonPasswords()).has(folded) ? 'common' : undefined
}

/** The same in words, for programs and the command line. */
export async function passwordProblem(password: string, personal: readonly string[]): Promise<string | undefined> {
  const fault = await passwordFault(password, personal)
  return fault && faultWords[fault]
}

let common: Promise<ReadonlySet<string>> | undefined

/** Read when the first password is set: unpacking the list is no work for a start. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return common
}
