// The people whom a host names: typed one a line, and each with the link that is theirs alone.
import { buttonClass } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { TextArea } from '../../ui/field.tsx'
import type { Registration, RegistrationList, SessionChange, SessionDetail } from '../data/wire.ts'
import { absolute } from '../parts/format.ts'
import { registrationsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import { SendLinks, wordsOf } from './registrations.tsx'
import { invitationTo, noteLinkCopied } from './session-acts.ts'

type Guests = NonNullable<SessionChange['guests']>

const linesOf = (guests: Guests = []): string => guests.map(({ name, email }) => (name ? `${name} <${email}>` : email)).join('\n')

/** What was typed, or which line names no address. */
export function guestsIn(typed: string): { guests: Guests } | { error: string } {
  const guests: Guests = []
  for (const [index, line] of typed.split('\n').entries()) {
    const words = line.split(/[\s,;<>]+/).filter(Boolean)
    const email = words.findLast((word) => word.includes('@'))
    if (words.length === 0) continue
    if (email === undefined) return { error: `Line ${index + 1} has no email address.` }
    const name = words.filter((word) => word !== email).join(' ')
    guests.push({ email, ...(name !== '' && { name }) })
  }
  return guests.length === 0 ? { error: 'Name at least one person.' } : { guests }
}

export function GuestsField({ guests, error }: { guests: Guests | undefined; error: string | undefined }) {
  return (
    <TextArea
      label="People"
      name="guests"
      rows={4}
      defaultValue={linesOf(guests)}
      placeholder="Maya Okafor <maya@example.com>"
      hint="One a line, the email address with or without a name. Whoever stays on the list keeps their link."
      error={error}
    />
  )
}

/** Of who was written to. */
const knownWords = (found: Registration | undefined, list: RegistrationList | undefined) =>
  found !== undefined && <span class="small muted">{wordsOf(found, list?.canMail === true)}</span>

export function GuestLinks({ session }: { session: SessionDetail }) {
  const { data } = useQuery(registrationsQuery(session.id))
  const known = new Map(data?.registrations.map((each) => [each.email.toLowerCase(), each]))
  const guests = (session.guests ?? []).map((guest) => ({ ...guest, link: `${absolute(session.shareLink)}.${guest.key ?? ''}` }))
  return (
    <>
      <ul class="guests" aria-label="People">
        {guests.map(({ email, name, link }) => (
          <li key={email}>
            <span class="row-words">
              <bdi>{name ?? email}</bdi>
              {name !== undefined && (
                <span class="small muted">
                  <bdi>{email}</bdi>
                </span>
              )}
              {knownWords(known.get(email.toLowerCase()), data)}
            </span>
            <span class="actions">
              <Copy dense value={link} label="Copy link" of={name ?? email} onCopied={noteLinkCopied} />
              <a class={buttonClass('plain', true)} href={invitationTo(session, link, email).mail}>
                Write a mail<span class="vh"> to {name ?? email}</span>
              </a>
            </span>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Copy value={guests.map(({ email, link }) => `${email}\t${link}`).join('\n')} label="Copy all links" onCopied={noteLinkCopied} />
        <SendLinks session={session} />
      </div>
    </>
  )
}
