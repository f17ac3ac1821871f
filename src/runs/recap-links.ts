// The link that an attendee may keep after the talk: an address nobody can guess, made from the attendee's id and a MAC over it, so
// that keeping one writes nothing and it opens nothing but that attendee's recap.
import { createSigner } from '../accounts/token.ts'

export interface RecapLinks {
  /** The whole address of the page. */
  linkOf(attendeeId: string): string
  /** Null for what is no token of ours. */
  attendeeOf(token: string): string | null
}

/** `secrets`: the first signs, all verify, so links outlive a change of `ROSTRUM_SECRET` as long as the old one is listed. */
export function createRecapLinks(secrets: readonly string[], baseUrl: string): RecapLinks {
  const signer = createSigner(secrets, 'recap')
  return {
    linkOf: (attendeeId) => `${baseUrl}/recap/${attendeeId}.${signer.sign(attendeeId)}`,
    attendeeOf(token) {
      const [attendeeId = '', mac = ''] = token.split('.')
      return signer.verify(attendeeId, mac) ? attendeeId : null
    },
  }
}
