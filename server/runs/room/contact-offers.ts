// Contact details that an attendee typed into a question, kept until they agree to what they were asked, or do not.
import type { Clock } from '@rostrum/base/clock'
import type { Store } from '../../platform/db/store.ts'
import type { AttendeePrincipal } from '../../platform/principal.ts'
import type { CommandAnswer } from '@rostrum/contract/commands'
import type { ContactOfferRow } from '../tables.ts'

/** What somebody agrees to; the version is raised with each change of the text. */
export interface Consent {
  text: string
  version: number
}

export interface OfferedContact {
  email: string
  phone?: string | undefined
}

export interface AgreedContact {
  promptId: string
  contact: OfferedContact
  /** What the prompt said, whatever the host has written since. */
  consent: Consent
}

export interface ContactOffers {
  /** Before the prompt is put, so that nobody sees one that cannot be agreed to. A repeat changes nothing. */
  hold(attendeeId: string, promptId: string, contact: OfferedContact, consent: Consent): Promise<void>
  /**
   * The contact of the last prompt at or before event `seen`, if this attendee still may agree to it. It is given to one command
   * only, and to that one again.
   */
  take(attendee: AttendeePrincipal, commandId: string, seen: number): Promise<AgreedContact | null>
  /** Removes what nobody has agreed to in time. */
  sweep(): Promise<void>
}

const heldMs = 600_000

interface OfferDeps {
  store: Store
  clock: Clock
}

export function createContactOffers({ store, clock }: OfferDeps): ContactOffers {
  async function lastPromptSeen({ runId, attendeeId }: AttendeePrincipal, seen: number): Promise<ContactOfferRow | undefined> {
    const offers = await store.read
      .selectFrom('contact_offers')
      .innerJoin('run_commands', 'run_commands.id', 'contact_offers.prompt_id')
      .selectAll('contact_offers')
      .select('run_commands.answer')
      .where('run_commands.run_id', '=', runId)
      .where('contact_offers.attendee_id', '=', attendeeId)
      .execute()
    return offers
      .map((offer) => ({ offer, seq: promptedAt(offer.answer) }))
      .filter(({ seq }) => seq <= seen)
      .toSorted((a, b) => a.seq - b.seq)
      .at(-1)?.offer
  }

  return {
    async hold(attendeeId, promptId, { email, phone = null }, { text, version }) {
      const agreesTo = { consent_text: text, consent_version: version }
      const offer = { attendee_id: attendeeId, prompt_id: promptId, email, phone, ...agreesTo, held_until: clock.now() + heldMs }
      await store.write((tx) =>
        tx
          .insertInto('contact_offers')
          .values(offer)
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      )
    },
    async take(attendee, commandId, seen) {
      const offer = await lastPromptSeen(attendee, seen)
      if (offer === undefined) return null
      const taken = await store.write((tx) =>
        tx
          .updateTable('contact_offers')
          .set({ taken_by: commandId })
          .where('attendee_id', '=', offer.attendee_id)
          .where('prompt_id', '=', offer.prompt_id)
          .where((row) =>
            row.or([row('taken_by', '=', commandId), row.and([row('taken_by', 'is', null), row('held_until', '>=', clock.now())])]),
          )
          .returning(['prompt_id', 'email', 'phone', 'consent_text', 'consent_version'])
          .executeTakeFirst(),
      )
      if (taken === undefined) return null
      const { prompt_id: promptId, email, phone, consent_text: text, consent_version: version } = taken
      return { promptId, contact: { email, ...(phone === null ? {} : { phone }) }, consent: { text, version } }
    },
    async sweep() {
      await store.write((tx) => tx.deleteFrom('contact_offers').where('held_until', '<', clock.now()).execute())
    },
  }
}

/** The `seq` of the event that showed the prompt; Infinity where none has. */
function promptedAt(answer: string | null): number {
  if (answer === null) return Infinity
  // Only owners of runs write answers, as text of this type.
  const told = JSON.parse(answer) as CommandAnswer
  return told.ok && typeof told.data['seq'] === 'number' ? told.data['seq'] : Infinity
}
