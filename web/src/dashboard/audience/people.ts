// One person out of what is known of them: each visit of an attendee, and the details they left. Pure, so that it can be tested.
import type { Attendee, Lead } from '../data/wire.ts'

export interface Visit extends Attendee {
  sessionId: string
}

export interface Person {
  /** Of the address, or of the one visit of somebody who left none. */
  key: string
  name: string
  /** The newest first; none for who only watched. */
  leads: readonly Lead[]
  visits: readonly Visit[]
  lastAt: string
  watchedSeconds: number
  questions: Attendee['questions']
  hasClicked: boolean
}

/** Everybody, whoever was there last first. What somebody else sent for an address stays an entry of its own. */
export function peopleFrom(leads: readonly Lead[], visits: readonly Visit[]): Person[] {
  const byAddress = Map.groupBy(leads, ({ id, email, repeatOf }) => (repeatOf === undefined ? email.toLowerCase() : id))
  const known = new Set(leads.flatMap(({ attendeeId }) => attendeeId ?? []))
  const withDetails = [...byAddress].map(([key, own]) => {
    const seats = new Set(own.map(({ attendeeId }) => attendeeId))
    return personOf(
      key,
      own,
      visits.filter(({ attendeeId }) => seats.has(attendeeId)),
    )
  })
  const others = visits.flatMap((visit) => (known.has(visit.attendeeId) ? [] : [personOf(visit.attendeeId, [], [visit])]))
  return [...withDetails, ...others].toSorted((a, b) => b.lastAt.localeCompare(a.lastAt))
}

function personOf(key: string, leads: readonly Lead[], visits: readonly Visit[]): Person {
  const moments = [...leads.map(({ created_at }) => created_at), ...visits.map(({ joinedAt, leftAt }) => leftAt ?? joinedAt)]
  return {
    key,
    name: [...leads, ...visits].find(({ name }) => name)?.name ?? '',
    leads,
    visits,
    lastAt: moments.toSorted().at(-1) ?? '',
    watchedSeconds: visits.reduce((sum, { watchedSeconds }) => sum + watchedSeconds, 0),
    questions: visits.flatMap(({ questions }) => questions),
    hasClicked: leads.some(({ ctaClicked }) => ctaClicked) || visits.some(({ ctaClicked }) => ctaClicked),
  }
}

export interface Moment {
  at: string
  kind: 'joined' | 'asked' | 'clicked' | 'left' | 'details' | 'consent'
  words: string
  sessionId: string | undefined
  /** The link that they came by. */
  by?: string
}

/** In the order of a spreadsheet. */
export const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const

/** What the person did, in its order. */
export function timelineOf({ leads, visits }: Person, watched: (visit: Visit) => string): Moment[] {
  const ofVisits = visits.flatMap((visit): Moment[] => {
    const { sessionId, joinedAt, leftAt, questions, ctaClickedAt, utm } = visit
    const by = [utm?.source, utm?.campaign].filter(Boolean).join(', ')
    return [
      { at: joinedAt, kind: 'joined', words: 'Joined', sessionId, ...(by !== '' && { by }) },
      ...questions.map(({ at, text }): Moment => ({ at, kind: 'asked', words: text, sessionId })),
      ...(ctaClickedAt === undefined ? [] : [{ at: ctaClickedAt, kind: 'clicked' as const, words: 'Opened the offer', sessionId }]),
      ...(leftAt === undefined ? [] : [{ at: leftAt, kind: 'left' as const, words: watched(visit), sessionId }]),
    ]
  })
  const ofLeads = leads.flatMap((lead): Moment[] => {
    const { sessionId, created_at, notes, consents = [] } = lead
    return [
      { at: created_at, kind: 'details', words: notes ? `Left details: ${notes}` : 'Left details', sessionId },
      ...consents.map(({ at, text }): Moment => ({ at, kind: 'consent', words: text, sessionId })),
    ]
  })
  return [...ofVisits, ...ofLeads].toSorted((a, b) => a.at.localeCompare(b.at))
}

export type FollowUp = Lead['followUp']

export interface PeopleFilter {
  /** Also those who left no details. */
  everyone: boolean
  search: string
  followUp: FollowUp | undefined
  /** Only of the last so many. */
  days: number | undefined
}

const dayMs = 86_400_000

export function matches(person: Person, { everyone, search, followUp, days }: PeopleFilter, now: number): boolean {
  const { leads, name, questions, lastAt } = person
  if (!everyone && leads.length === 0) return false
  if (followUp !== undefined && leads[0]?.followUp !== followUp) return false
  if (days !== undefined && now - Date.parse(lastAt) > days * dayMs) return false
  const known = leads.map(({ email, company, notes = '', hostNote = '' }) => `${email} ${company} ${notes} ${hostNote}`)
  const words = [name, ...known, ...questions.map(({ text }) => text)].join(' ').toLowerCase()
  return words.includes(search.trim().toLowerCase())
}
