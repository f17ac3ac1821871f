// Hands contact details and the consent they were given under to the leads, and notes in the run that there was a lead. A rehearsal
// keeps none.
import { invalidInput } from '../kernel/parse.ts'
import type { AttendeePrincipal } from '../kernel/principal.ts'
import { askDesk } from './ask-desk.ts'
import { getAttendee, noSuchRun } from './attendees.ts'
import type { RoomDeps, RoomLead } from './room-deps.ts'

interface LeadSource {
  source: RoomLead['source']
  /** Of the consent text that the person saw; refused when the text has changed since. */
  consentVersion?: string | undefined
  id: string
}

export async function keepLead(
  deps: RoomDeps,
  { runId, attendeeId }: AttendeePrincipal,
  details: Omit<RoomLead['details'], 'ctaClicked'>,
  { source, consentVersion, id }: LeadSource,
): Promise<{ leadId: string }> {
  const tail = await deps.hub.open(runId)
  if (tail === null) throw noSuchRun()
  try {
    const { run, session, state } = tail
    if (consentVersion !== undefined && consentVersion !== String(session.consentVersion)) {
      throw invalidInput([{ pointer: '#/consentVersion', detail: 'the text has changed since: show it again.' }])
    }
    if (run.kind === 'rehearsal') return { leadId: id.toLowerCase() }
    const { name, kind, created_at } = await getAttendee(deps.store.read, attendeeId)
    const { leadId } = await deps.leads.save({
      sessionId: session.sessionId,
      accountId: session.accountId,
      runId,
      attendee: { id: attendeeId, name, kind, joinedAt: new Date(created_at).toISOString() },
      source,
      consent: { text: session.consentText ?? deps.leads.defaultConsentText, version: session.consentVersion },
      details: { ...details, ctaClicked: state.ctaOf.get(attendeeId) === 'clicked' },
    })
    await askDesk(deps.desk, runId, { kind: 'lead', id: `lead-${id.toLowerCase()}`, attendeeId, leadId })
    return { leadId }
  } finally {
    tail.release()
  }
}
