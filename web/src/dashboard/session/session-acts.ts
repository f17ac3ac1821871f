// What a host does to a whole session, with how it is told and taken back.
import { showToast } from '../../ui/toast.tsx'
import { call } from '../data/api.ts'
import { changeSession } from '../data/queries.ts'
import { doneWithUndo, orToast } from '../data/undoable.ts'
import { cache, refresh } from '../data/use-query.ts'
import type { SessionChange, SessionDetail, SessionRecord } from '../data/wire.ts'
import { absolute, exactly, plural } from '../parts/format.ts'

/** Saves one setting as soon as its field is left. */
export const save = (session: SessionDetail, change: SessionChange): Promise<void> => orToast(changeSession(session.id, change))

/** When a broadcast begins. */
export const startPolicies = [
  { value: 'first_attendee', label: 'When the first person comes' },
  { value: 'scheduled', label: 'At a set time' },
  { value: 'host', label: 'When you start it' },
] as const

/** What to write to somebody who is meant, as text and as a mail. */
export function invitationTo(
  { title, description, mode, startsAt, timeZone }: SessionDetail,
  link: string,
  to = '',
): { text: string; mail: string } {
  const when = mode === 'broadcast' && startsAt !== undefined ? `It begins on ${exactly(startsAt, timeZone)}.` : 'It starts when you do.'
  const text = [`You are invited: ${title}`, description, `${when} An automated presenter gives the talk and answers questions.`, link]
    .filter(Boolean)
    .join('\n\n')
  return { text, mail: `mailto:${to}?${new URLSearchParams({ subject: title, body: text }).toString().replaceAll('+', '%20')}` }
}

/** The caller has asked who should find it. */
export const publish = ({ id }: SessionRecord, change: SessionChange): Promise<void> =>
  doneWithUndo(
    change.discoverable
      ? 'Published and listed. Everybody can find it.'
      : change.guests
        ? `Published for ${plural(change.guests.length, 'person', 'people')}. Send each their link.`
        : 'Published. The link works for anyone who has it.',
    () => changeSession(id, { ...change, status: 'published' }),
    () => changeSession(id, { status: 'draft' }),
  )

export const unpublish = ({ id }: SessionRecord): Promise<void> =>
  doneWithUndo(
    'Unpublished. The link no longer works.',
    () => changeSession(id, { status: 'draft' }),
    () => changeSession(id, { status: 'published' }),
  )

const copiedKey = 'rostrum.link-copied'

/** Whether a join link was copied in this browser; the checklist asks. */
export const hasCopiedLink = (): boolean => localStorage.getItem(copiedKey) !== null

export function noteLinkCopied(): void {
  localStorage.setItem(copiedKey, '1')
}

export async function copyLink(session: SessionRecord): Promise<void> {
  if (session.guestsCount !== undefined) {
    const action = { label: 'Show the links', run: () => location.assign(`/dashboard/sessions/${session.id}/share`) }
    showToast({ text: `Only ${plural(session.guestsCount, 'person', 'people')} can come, each by a link of their own.`, action })
    return
  }
  const link = absolute(session.shareLink)
  try {
    await navigator.clipboard.writeText(link)
    noteLinkCopied()
    showToast({ text: session.status === 'published' ? 'Join link copied.' : 'Join link copied. It works once the session is published.' })
  } catch {
    showToast({ text: `The browser refused to copy. The link is ${link}` })
  }
}

/** Opens the zero-cost rehearsal in a new tab; asks for a link first where it was revoked. */
export async function rehearse(sessionId: string): Promise<void> {
  const tab = open('about:blank', '_blank')
  await orToast(
    (async () => {
      const session = await call('get_session', { sessionId })
      const link = session.rehearsalUrl ?? (await call('create_rehearsal_link', { sessionId })).rehearsalUrl
      if (tab === null) location.assign(absolute(link))
      else tab.location.replace(absolute(link))
    })(),
    () => tab?.close(),
  )
}

export async function duplicate({ id, title }: SessionRecord): Promise<void> {
  await orToast(
    (async () => {
      await call('duplicate_session', { sessionId: id })
      await refresh('sessions')
      showToast({ text: `Duplicated as a draft: ${title} (copy)` })
    })(),
  )
}

/** Cannot be taken back: the caller has asked for the name. */
export async function deleteSession(id: string): Promise<void> {
  await call('delete_session', { sessionId: id })
  cache.removeQueries({ queryKey: ['session', id] })
  await refresh('sessions')
}
