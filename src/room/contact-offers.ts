// Contact details that somebody typed into a question: kept until he agrees to that very prompt, for ten minutes at most. They are in
// no log; they are in the store, because his "yes" may reach another process, or this one after a restart.
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../storage/store.ts'

export interface OfferedContact {
  email: string
  phone?: string | undefined
}

export interface ContactOffers {
  hold(attendeeId: string, contact: OfferedContact): Promise<void>
  /** The contact held for this attendee, if he still may agree. It is given to one command only, and to that one again. */
  take(attendeeId: string, commandId: string): Promise<OfferedContact | null>
  /** Removes, from now on, what nobody has agreed to in time. */
  start(): void
  stop(): void
}

const heldMs = 600_000
const lookMs = 60_000

interface OfferDeps {
  store: Store
  clock: Clock
  onFault(runId: string, error: unknown): void
}

export function createContactOffers({ store, clock, onFault }: OfferDeps): ContactOffers {
  let cancel: (() => void) | undefined

  async function forget(): Promise<void> {
    const now = clock.now()
    const old = await store.read
      .selectFrom('contact_offers')
      .select('attendee_id')
      .where('held_until', '<', now)
      .limit(1)
      .executeTakeFirst()
    if (old !== undefined) await store.write((tx) => tx.deleteFrom('contact_offers').where('held_until', '<', now).execute())
  }

  function round(): void {
    void forget()
      .catch((error: unknown) => onFault('-', error))
      .then(() => {
        if (cancel !== undefined) cancel = clock.after(lookMs, round)
      })
  }

  return {
    async hold(attendeeId, { email, phone = null }) {
      const offer = { email, phone, held_until: clock.now() + heldMs, taken_by: null }
      await store.write((tx) =>
        tx
          .insertInto('contact_offers')
          .values({ attendee_id: attendeeId, ...offer })
          .onConflict((conflict) => conflict.column('attendee_id').doUpdateSet(offer))
          .execute(),
      )
    },
    async take(attendeeId, commandId) {
      const taken = await store.write((tx) =>
        tx
          .updateTable('contact_offers')
          .set({ taken_by: commandId })
          .where('attendee_id', '=', attendeeId)
          .where('held_until', '>=', clock.now())
          .where((row) => row.or([row('taken_by', 'is', null), row('taken_by', '=', commandId)]))
          .returning(['email', 'phone'])
          .executeTakeFirst(),
      )
      return taken === undefined ? null : { email: taken.email, ...(taken.phone === null ? {} : { phone: taken.phone }) }
    },
    start() {
      cancel = clock.after(lookMs, round)
    },
    stop() {
      cancel?.()
      cancel = undefined
    },
  }
}

const consent =
  /^(?:yes|yes,? please|ok(?:ay)?|sure|i agree|ja(?:,? bitte)?|oui|s[ií](?:,? por favor)?|sim|はい|是的?|好的?|نعم)[\s.!。！]*$/iu

/** An explicit yes and nothing else. */
export const isYes = (text: string): boolean => consent.test(text.trim())
