// Hands contact details and the consent they were given under to the leads, and notes in the run that there was a lead. A rehearsal
// keeps none.
import type { AttendeePrincipal } from '../platform/principal.ts'
import { askDesk } from './command.ts'
import { getAttendee, noSuchRun } from './attendees.ts'
import type { Consent } from './contact-offers.ts'
import type { RoomDeps, RoomLead } from './room-deps.ts'

type LeadSource = Pick<RoomLead, 'source' | 'consent'> & { id: string }

/** What the host asks people to agree to at this moment: it may change while a talk runs. */
export async function consentNow(sessionId: string, { content, leads }: Pick<RoomDeps, 'content' | 'leads'>): Promise<Consent> {
  const session = await content.getSession(sessionId)
  if (session === null) throw noSuchRun()
  return { text: session.consentText ?? leads.consentTextIn(session.language), version: session.consentVersion }
}

/** `consent`: what the person saw when they agreed. */
export async function keepLead(
  deps: RoomDeps,
  { runId, attendeeId }: AttendeePrincipal,
  details: RoomLead['details'],
  { source, consent, id }: LeadSource,
): Promise<{ leadId: string }> {
  const tail = await deps.hub.open(runId)
  if (tail === null) throw noSuchRun()
  try {
    const { run, session } = tail
    if (run.kind === 'rehearsal') return { leadId: id }
    const { name, kind, created_at } = await getAttendee(deps.store.read, attendeeId)
    const { leadId } = await deps.leads.save({
      sessionId: session.sessionId,
      runId,
      attendee: { id: attendeeId, name, kind, joinedAt: new Date(created_at).toISOString() },
      source,
      consent,
      details,
    })
    await askDesk(deps.desk, runId, { kind: 'lead', id: `lead-${id}`, attendeeId, leadId })
    return { leadId }
  } finally {
    tail.release()
  }
}
