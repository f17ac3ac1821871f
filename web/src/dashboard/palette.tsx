// Command palette: one field that finds screens, sessions, people, questions and acts; arrows choose, Enter goes (ARIA combobox with a
// list box).
import { useLocation } from 'preact-iso/router'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Entry } from './palette-entries.ts'
import { matching, screens } from './palette-entries.ts'
import { peopleFrom } from './audience/people.ts'
import { nameOf } from './audience/person-sheet.tsx'
import { allQuestionsQuery, allVisitsQuery, leadsQuery, sessionQuery, sessionsQuery } from './data/queries.ts'
import { useQuery } from './data/use-query.ts'
import type { SessionDetail, SessionRecord } from './data/wire.ts'
import { copyLink, duplicate, rehearse, unpublish } from './session/session-acts.ts'

export function Palette({ onClose }: { onClose: () => void }) {
  const { route, path } = useLocation()
  const here = /^\/dashboard\/sessions\/([0-9a-f-]{36})/.exec(path)?.[1]
  const open = useQuery({ ...sessionQuery(here ?? ''), enabled: here !== undefined }).data
  const sessions = useQuery(sessionsQuery).data?.rows ?? []
  const [typed, setTyped] = useState('')
  const recorded = useRecorded(sessions, here, typed.trim().length > 1)
  const [at, setAt] = useState(0)
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const found = matching(
    [
      ...actsOn(open),
      ...screens,
      ...sessions.map(({ id: key, title }) => ({ label: title, kind: 'Session', href: `/dashboard/sessions/${key}` })),
      ...(recorded ?? []),
    ],
    typed,
  )
  const chosen = found[Math.min(at, found.length - 1)]
  const go = (entry: Entry) => {
    dialog.current?.close()
    entry.act?.()
    if (entry.href !== undefined) route(entry.href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && found.length > 0) {
      event.preventDefault()
      setAt((found.length + Math.min(at, found.length - 1) + step) % found.length)
    } else if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault()
      go(chosen)
    }
  }
  return (
    <dialog ref={dialog} class="dialog palette" aria-label="Go to" {...{ closedby: 'any' }} onClose={onClose}>
      <input
        class="input"
        type="text"
        role="combobox"
        aria-label="Find a screen, a talk, a person or a question"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${found.indexOf(chosen)}`}
        aria-autocomplete="list"
        autocomplete="off"
        placeholder="Find a screen, a talk, a person or a question"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} class="palette-list" role="listbox" aria-label="Results">
        {found.map((entry, index) => (
          <div
            key={`${entry.kind} ${entry.label} ${entry.of ?? ''} ${entry.href ?? ''}`}
            id={`${id}-${index}`}
            class="palette-entry"
            role="option"
            aria-selected={entry === chosen}
            onMouseMove={() => setAt(index)}
            onClick={() => go(entry)}
          >
            <span class="palette-words">
              <bdi>{entry.label}</bdi>
              {entry.of !== undefined && <bdi class="small muted">{entry.of}</bdi>}
            </span>
            <span class="small muted">{entry.kind}</span>
          </div>
        ))}
      </div>
      <p class="palette-none small muted" role="status">
        {found.length === 0 ? (recorded === undefined ? 'Looking' : 'Nothing has that name, and nobody asked it.') : ''}
      </p>
    </dialog>
  )
}

/** Of how many talks, the newest first and the one that is open, people and questions are looked through. */
const talksLookedAt = 8

/** Who came and what was asked; undefined while it is read. */
function useRecorded(sessions: readonly SessionRecord[], here: string | undefined, isWanted: boolean): readonly Entry[] | undefined {
  const ids = [...new Set([...(here === undefined ? [] : [here]), ...sessions.map(({ id }) => id)])].slice(0, talksLookedAt)
  const leads = useQuery({ ...leadsQuery(), enabled: isWanted }).data
  const visits = useQuery({ ...allVisitsQuery(ids), enabled: isWanted, staleTime: 30_000 }).data
  const questions = useQuery({ ...allQuestionsQuery(ids), enabled: isWanted, staleTime: 30_000 }).data
  if (!isWanted) return []
  if (leads === undefined || visits === undefined || questions === undefined) return undefined
  const titleOf = (id: string | undefined) => sessions.find((session) => session.id === id)?.title
  const people = peopleFrom(leads.rows, visits).map((person) => {
    const sessionId = person.leads[0]?.sessionId ?? person.visits[0]?.sessionId
    const of = [person.leads[0]?.email, person.leads[0]?.company, titleOf(sessionId)].filter(Boolean).join(', ')
    const list = sessionId === undefined ? '/dashboard/people' : `/dashboard/sessions/${sessionId}/people`
    return {
      label: nameOf(person),
      of,
      kind: 'Person',
      href: `${list}?${new URLSearchParams({ show: 'all', person: person.key }).toString()}`,
    }
  })
  const asked = questions.map(({ sessionId, text, by }) => ({
    label: text,
    of: [by.name, titleOf(sessionId)].filter(Boolean).join(', '),
    kind: 'Question',
    href: `/dashboard/sessions/${sessionId}/questions?${new URLSearchParams({ q: text }).toString()}`,
  }))
  return [...people, ...asked]
}

/** What may be done with the talk whose screen is open; first in the list. */
function actsOn(session: SessionDetail | undefined): readonly Entry[] {
  if (session === undefined) return []
  const kind = 'This talk'
  const at = `/dashboard/sessions/${session.id}`
  return [
    { label: 'Copy link', kind, act: () => void copyLink(session) },
    { label: 'Rehearse', kind, act: () => void rehearse(session.id) },
    session.status === 'published'
      ? { label: 'Unpublish', kind, act: () => void unpublish(session) }
      : { label: 'Publish', kind, href: `${at}/set-up?step=3` },
    { label: 'Edit the script', kind, href: `${at}/script` },
    { label: 'Try questions', kind, href: `${at}/set-up?step=2` },
    { label: 'Live controls', kind, href: `${at}/live` },
    { label: 'Duplicate', kind, act: () => void duplicate(session) },
  ]
}
