// People before the talk: the page where they register and what it asks, who has a place, who waits, who came; and the people whom the
// host names, each written to when the host says so.
import { useState } from 'preact/hooks'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Checkbox, Select, TextField } from '../../ui/field.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useForm } from '../../ui/use-form.ts'
import { call, downloadPages } from '../data/api.ts'
import { changeSession, registrationsQuery } from '../data/queries.ts'
import { orToast, useBusy } from '../data/undoable.ts'
import { cache, useQuery } from '../data/use-query.ts'
import type { Registration, RegistrationList, SessionDetail } from '../data/wire.ts'
import { joinFiles } from '../parts/csv.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { absolute, exactly, plural } from '../parts/format.ts'
import { fileName, saveFile } from '../parts/save-file.ts'

const entries = [
  { value: 'anyone', label: 'Everybody with the link' },
  { value: 'confirmed', label: 'Who registers and opens the link in their mail' },
] as const

const localTime = (iso: string | undefined): string => {
  if (iso === undefined) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const looked = (id: string) => cache.invalidateQueries({ queryKey: registrationsQuery(id).queryKey })

/** What the service cannot do, and who can change that. */
function NoMail() {
  return (
    <p class="note note-amber">
      No mails leave this service: no confirmation, no reminder. Its operator sets <code>ROSTRUM_SMTP_URL</code>. Until then people find the
      calendar entry and their link on the page, after they register.
    </p>
  )
}

export function RegistrationPart({ session }: { session: SessionDetail }) {
  const { data } = useQuery(registrationsQuery(session.id))
  if (data === undefined) return null
  const isOn = session.registration !== undefined || session.entry === 'confirmed'
  const set = (change: Parameters<typeof changeSession>[1]) => void orToast(changeSession(session.id, change))
  const page = absolute(data.pageUrl)
  return (
    <section class="section" aria-labelledby="registration">
      <h2 id="registration">Registration</h2>
      {isOn ? (
        <>
          <p class="muted">
            {session.status === 'draft'
              ? 'The page opens once the session is published.'
              : 'People give their name and address here. They get a calendar entry, reminders a day and an hour before, and word when the talk moves.'}
          </p>
          {!data.canMail && <NoMail />}
          <code class="well">{page}</code>
          <div class="actions">
            <Copy value={page} label="Copy registration page" />
            <a class={buttonClass()} href={page} target="_blank" rel="noopener">
              Open
            </a>
            <Button kind="quiet" onClick={() => set({ registration: null, entry: 'anyone' })}>
              Close registration
            </Button>
          </div>
          <SettingsForm session={session} canMail={data.canMail} />
        </>
      ) : (
        <>
          <p class="muted">
            A page where people register before the talk: calendar entry, reminders, a waiting list when places are few, and the recap
            afterwards.
          </p>
          {!data.canMail && <NoMail />}
          <div class="actions">
            <Button onClick={() => set({ registration: {} })}>Open registration</Button>
          </div>
        </>
      )}
      <People session={session} list={data} />
    </section>
  )
}

function SettingsForm({ session, canMail }: { session: SessionDetail; canMail: boolean }) {
  const { asks = [], question = '', attendeesMax } = session.registration ?? {}
  const [entry, setEntry] = useState(session.entry)
  const { errors, failure, busy, onSubmit } = useForm({
    async submit(values) {
      const registration = {
        asks: (['company', 'phone'] as const).filter((each) => values[each] === 'on'),
        ...(values['question']?.trim() ? { question: values['question'] } : {}),
        ...(values['attendeesMax'] ? { attendeesMax: Number(values['attendeesMax']) } : {}),
      }
      const change = { registration, entry, ...(entry === 'confirmed' && untilIn(values)) }
      await changeSession(session.id, change).catch((error: unknown) => refusedForm(error))
      await looked(session.id)
      showToast({ text: 'Registration saved.' })
    },
  })
  return (
    <details class="fold">
      <summary>What it asks, places, who may enter</summary>
      <form class="form embed-sites" noValidate onSubmit={onSubmit}>
        <fieldset class="form">
          <legend>Beside name and address</legend>
          <Checkbox label="Company" name="company" defaultChecked={asks.includes('company')} />
          <Checkbox label="Phone" name="phone" defaultChecked={asks.includes('phone')} />
        </fieldset>
        <TextField label="A question of yours" name="question" defaultValue={question} maxLength={200} error={errors['registration']} />
        <TextField
          label="Places"
          name="attendeesMax"
          type="number"
          min={1}
          max={100_000}
          defaultValue={attendeesMax === undefined ? '' : String(attendeesMax)}
          hint="Whoever comes later goes on a waiting list. Empty: no limit."
        />
        <Select
          label="Who may enter the room"
          name="entry"
          value={entry}
          options={entries}
          error={errors['entry']}
          hint={canMail ? undefined : 'The second needs a mail server.'}
          onChange={(event) => setEntry(event.currentTarget.value === 'confirmed' ? 'confirmed' : 'anyone')}
        />
        {entry === 'confirmed' && <UntilField session={session} error={errors['linksUntil']} />}
        {failure && <p class="field-error">{failure}</p>}
        <div class="actions">
          <Button type="submit" busy={busy}>
            Save registration
          </Button>
        </div>
      </form>
    </details>
  )
}

/** When personal links end, of who registers and of who is named. */
export function UntilField({ session, error }: { session: SessionDetail; error: string | undefined }) {
  return (
    <TextField
      label="Links work until"
      name="linksUntil"
      type="datetime-local"
      defaultValue={localTime(session.linksUntil)}
      hint="Empty: as long as the talk is published."
      error={error}
    />
  )
}

export const untilIn = ({ linksUntil }: Readonly<Record<string, string | undefined>>) => ({
  linksUntil: linksUntil ? new Date(linksUntil).toISOString() : null,
})

const stateWords = { going: 'Has a place', waiting: 'Waits', cancelled: 'Cancelled' } as const

/** What the host may want to know next of them, most telling first. */
export function wordsOf(
  { state, isNamed, isTold, mailFailed, mailsEnded, mailWaitsUntil, openedAt, joinedAt, secondsInRoom }: Registration,
  canMail: boolean,
): string {
  const minutes = Math.max(1, Math.round(secondsInRoom / 60))
  return [
    isNamed && state === 'going' ? 'Invited' : stateWords[state],
    joinedAt !== null ? `was there for ${minutes} min` : openedAt !== null ? `opened the link ${exactly(openedAt)}` : '',
    mailFailed
      ? 'mail refused'
      : mailsEnded
        ? 'wants no mails'
        : canMail && mailWaitsUntil !== undefined
          ? 'mail waits'
          : canMail && !isTold && state !== 'cancelled'
            ? 'mail on its way'
            : '',
  ]
    .filter(Boolean)
    .join(', ')
}

const answerOf = ({ answer }: Registration) => answer && <bdi>{answer}</bdi>

function People({ session, list }: { session: SessionDetail; list: RegistrationList }) {
  const { registrations, going, waiting, cancelled } = list
  if (registrations.length === 0) return null
  const remove = (registrationId: string) =>
    void orToast(call('delete_registration', { sessionId: session.id, registrationId }).then(() => looked(session.id)))
  const saveCsv = async () => {
    const files = await downloadPages('list_registrations', { sessionId: session.id }, 'text/csv')
    saveFile(fileName(session.title, 'registrations.csv'), joinFiles(files), 'text/csv')
  }
  const shown: readonly Column<Registration>[] = [
    {
      name: 'who',
      head: 'Person',
      rowHead: true,
      cell: (each) => (
        <span class="row-words">
          <bdi>{each.name ?? each.email}</bdi>
          <span class="small muted">
            <bdi>{[each.email, each.company, each.phone].filter(Boolean).join(', ')}</bdi>
          </span>
        </span>
      ),
    },
    ...(registrations.some(({ answer }) => answer) ? [{ name: 'answer', head: 'Answer', cell: answerOf }] : []),
    { name: 'state', head: 'State', cell: (each) => wordsOf(each, list.canMail) },
    {
      name: 'acts',
      head: 'Actions',
      hideHead: true,
      cell: (each) => (
        <div class="cell-actions">
          {each.state === 'going' && <Copy dense value={each.roomUrl} label="Copy link" of={each.name ?? each.email} />}
          <Button dense kind="quiet" aria-label={`Remove ${each.name ?? each.email}`} onClick={() => remove(each.id)}>
            Remove
          </Button>
        </div>
      ),
    },
  ]
  return (
    <>
      {list.held !== undefined && <Held session={session} held={list.held} />}
      <h3>
        {plural(going, 'place taken', 'places taken')}
        {waiting > 0 && `, ${waiting} waiting`}
        {cancelled > 0 && `, ${cancelled} cancelled`}
      </h3>
      <Table caption="Registered" columns={shown} rows={registrations} rowKey={({ id }) => id} />
      <div class="actions">
        <Button onClick={() => void orToast(saveCsv())}>Export CSV</Button>
      </div>
    </>
  )
}

/** Many registered at once: their mails leave by and by, unless the host knows them. */
function Held({ session, held }: { session: SessionDetail; held: NonNullable<RegistrationList['held']> }) {
  const [busy, run] = useBusy()
  const send = async () => {
    const { sent } = await call('send_held_mails', { sessionId: session.id }).finally(() => void looked(session.id))
    showToast({ text: `${plural(sent, 'mail', 'mails')} on the way.` })
  }
  return (
    <div class="note note-amber" role="status">
      <p>{held.detail}</p>
      <div class="actions">
        <Button busy={busy} onClick={() => void run(send())}>
          Send {plural(held.mails, 'mail', 'mails')} now
        </Button>
        <span class="small muted">The last leaves {exactly(held.until)}</span>
      </div>
    </div>
  )
}

/** Whom the host names: nothing leaves before this is pressed. */
export function SendLinks({ session }: { session: SessionDetail }) {
  const { data } = useQuery(registrationsQuery(session.id))
  const [busy, run] = useBusy()
  if (data === undefined) return null
  if (!data.canMail)
    return (
      <p class="note note-amber">
        No mails leave this service: its operator sets <code>ROSTRUM_SMTP_URL</code>. Until then send each their link by hand.
      </p>
    )
  const written = new Set(data.registrations.filter(({ isNamed }) => isNamed).map(({ email }) => email.toLowerCase()))
  const left = (session.guests ?? []).filter(({ email }) => !written.has(email.toLowerCase()))
  const send = async () => {
    const { sent } = await call('send_invitations', { sessionId: session.id }).finally(() => void looked(session.id))
    showToast({ text: `${plural(sent, 'mail', 'mails')} on the way.` })
  }
  return (
    <Button busy={busy} disabled={left.length === 0 || session.status === 'draft'} onClick={() => void run(send())}>
      {left.length === 0 ? 'All links sent' : `Send ${plural(left.length, 'link', 'links')} by mail`}
    </Button>
  )
}
