// Contact details that somebody typed into a question: held in memory alone until he agrees to that very prompt, or for ten minutes.
// They are in no log, and a process that stops forgets them.
import type { Clock } from '../kernel/clock.ts'

export interface OfferedContact {
  email: string
  phone?: string | undefined
}

export interface ContactOffers {
  hold(attendeeId: string, contact: OfferedContact): void
  /** The contact held for this attendee, if he still may agree; it is held no longer. */
  take(attendeeId: string): OfferedContact | null
}

const heldMs = 600_000
/** Attendees whose contacts are held at once; beyond, the oldest is dropped. */
const heldMax = 10_000

export function createContactOffers(clock: Clock): ContactOffers {
  const held = new Map<string, { contact: OfferedContact; until: number }>()
  return {
    hold(attendeeId, contact) {
      held.delete(attendeeId)
      held.set(attendeeId, { contact, until: clock.now() + heldMs })
      const [oldest] = held.keys()
      if (held.size > heldMax && oldest !== undefined) held.delete(oldest)
    },
    take(attendeeId) {
      const offer = held.get(attendeeId)
      held.delete(attendeeId)
      return offer === undefined || offer.until < clock.now() ? null : offer.contact
    },
  }
}

const consent =
  /^(?:yes|yes,? please|ok(?:ay)?|sure|i agree|ja(?:,? bitte)?|oui|s[ií](?:,? por favor)?|sim|はい|是的?|好的?|نعم)[\s.!。！]*$/iu

/** An explicit yes and nothing else. */
export const isYes = (text: string): boolean => consent.test(text.trim())
