// The mark of a browser in which a person has signed in before: its wrong tries are counted by themselves, so that nobody else's
// tries shut its person out. Signed for one e-mail address; it opens nothing.
import type { Ids } from '../kernel/ids.ts'
import { randomBase62 } from '../kernel/ids.ts'
import { createSigner } from './signer.ts'

export interface Devices {
  /** What the cookie of a browser holds from a sign-in with `email` on. */
  mark(email: string): string
  /** What the tries of the browser are counted by; undefined where it has no mark, or one made for somebody else. */
  find(cookie: string | undefined, email: string): string | undefined
}

/** As long as browsers keep a cookie. */
export const markLifeSeconds = 400 * 86_400

export function createDevices(secrets: readonly string[], ids: Ids): Devices {
  const signer = createSigner(secrets, 'device')
  return {
    mark(email) {
      const id = randomBase62(ids, 22)
      return `${id}.${signer.sign(`${id} ${email}`)}`
    },
    find(cookie, email) {
      const [id = '', mac = '', ...more] = (cookie ?? '').split('.', 3)
      return more.length === 0 && /^[0-9A-Za-z]{22}$/.test(id) && signer.verify(`${id} ${email}`, mac) ? id : undefined
    },
  }
}
