// Command palette: one field that finds screens, sessions and acts; arrows choose, Enter goes (ARIA combobox with a list box).
import { useLocation } from 'preact-iso/router'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Entry } from './palette-entries.ts'
import { matching, screens } from './palette-entries.ts'
import { sessionQuery, sessionsQuery } from './data/queries.ts'
import { useQuery } from './data/use-query.ts'
import type { SessionDetail } from './data/wire.ts'
import { copyLink, duplicate, rehearse, unpublish } from './session/session-acts.ts'

export function Palette({ onClose }: { onClose: () => void }) {
  const { route, path } = useLocation()
  const here = /^\/dashboard\/sessions\/([0-9a-f-]{36})/.exec(path)?.[1]
  const open = useQuery({ ...sessionQuery(here ?? ''), enabled: here !== undefined }).data
  const sessions = useQuery(sessionsQuery).data?.rows ?? []
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const found = matching(
    [
      ...actsOn(open),
      ...screens,
      ...sessions.map(({ id: key, title }) => ({ label: title, kind: 'Session', href: `/dashboard/sessions/${key}` })),
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
        aria-label="Find a screen or a session"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${found.indexOf(chosen)}`}
        aria-autocomplete="list"
        autocomplete="off"
        placeholder="Find a screen or a session"
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
            key={`${entry.kind} ${entry.label} ${entry.href ?? ''}`}
            id={`${id}-${index}`}
            class="palette-entry"
            role="option"
            aria-selected={entry === chosen}
            onMouseMove={() => setAt(index)}
            onClick={() => go(entry)}
          >
            <bdi>{entry.label}</bdi>
            <span class="small muted">{entry.kind}</span>
          </div>
        ))}
      </div>
      <p class="palette-none small muted" role="status">
        {found.length === 0 ? 'Nothing has that name.' : ''}
      </p>
    </dialog>
  )
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
