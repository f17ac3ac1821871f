// One person beside the list: how to reach them, how far the host has come, and one timeline of what they did and agreed to.
import { Eye, LogIn, Mail, MessageCircleQuestionMark, MousePointerClick, ShieldCheck, UserRoundCheck } from 'lucide'
import { useState } from 'preact/hooks'
import { monogram } from '../../room/stage/monogram.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, Select, TextArea } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { InputOf } from '../../../../client/operations.ts'
import { call } from '../data/api.ts'
import { sessionsQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import type { Lead } from '../data/wire.ts'
import { ConfirmName } from '../parts/confirm-name.tsx'
import { duration, exactly, plural } from '../parts/format.ts'
import { Time } from '../parts/time.tsx'
import { OpenButton } from '../parts/open-button.tsx'
import { type FollowUp, type Moment, type Person, timelineOf } from './people.ts'

export const followUpWords: Record<FollowUp, string> = { new: 'New', contacted: 'Contacted', done: 'Done' }
export const isFollowUp = (word: string | undefined): word is FollowUp => word !== undefined && word in followUpWords

export const nameOf = ({ name, leads: [lead] }: Person): string => name || lead?.email || 'No name given'

export const Face = ({ person }: { person: Person }) => (
  <span class="face" aria-hidden="true">
    {monogram(nameOf(person)).slice(0, 2)}
  </span>
)

async function refreshLeads(sessionId: string): Promise<void> {
  await Promise.all([refresh('leads'), refresh('session', sessionId, 'leads')])
}

/** What the host keeps is kept with every entry of the person. */
async function note(leads: readonly Lead[], change: Omit<InputOf<'update_lead'>, 'sessionId' | 'leadId'>): Promise<void> {
  for (const { id: leadId, sessionId = '' } of leads) {
    await call('update_lead', { sessionId, leadId, ...change })
    await refreshLeads(sessionId)
  }
}

export function PersonSheet({ person, leads, onClose }: { person: Person; leads: readonly Lead[]; onClose: () => void }) {
  const [lead] = person.leads
  return (
    <Dialog open side title={nameOf(person)} closeLabel="Close" onClose={onClose}>
      {lead !== undefined && <Details key={lead.id} person={person} lead={lead} />}
      {person.leads.some(({ unproven }) => unproven) && <Unproven leads={person.leads} />}
      <h3>What happened</h3>
      <ol class="timeline">
        {timelineOf(
          person,
          ({ watchedSeconds, slidesSeen, completed }) =>
            `Watched ${duration(watchedSeconds)}, ${plural(slidesSeen, 'slide')}${completed ? ', to the end' : ''}`,
        ).map((moment) => (
          <TimelineRow key={`${moment.at} ${moment.kind} ${moment.words}`} moment={moment} />
        ))}
      </ol>
      <Recaps person={person} />
      {lead !== undefined && <Erase lead={lead} others={othersOf(lead, leads)} onErased={onClose} />}
    </Dialog>
  )
}

function Details({ person: { leads }, lead }: { person: Person; lead: Lead }) {
  const [written, setWritten] = useState(lead.hostNote ?? '')
  return (
    <div class="form person-details">
      <p class="person-reach">
        <bdi>{lead.email}</bdi>
        {lead.company !== '' && <bdi>{lead.company}</bdi>}
        {lead.phone && <bdi>{lead.phone}</bdi>}
      </p>
      <div class="actions">
        <a class={buttonClass('plain', true)} href={`mailto:${lead.email}`}>
          <Icon of={Mail} />
          Write a mail
        </a>
        <Copy dense value={lead.email} label="Copy email" />
      </div>
      <Select
        label="Status"
        name="followUp"
        value={lead.followUp}
        options={Object.entries(followUpWords).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget: { value } }) => isFollowUp(value) && void orToast(note(leads, { followUp: value }))}
      />
      <TextArea
        label="Your note"
        name="hostNote"
        rows={2}
        maxLength={4000}
        value={written}
        hint="Seen by your account alone; erased with the person."
        onInput={({ currentTarget: { value } }) => setWritten(value)}
        onChange={() => void orToast(note(leads, { hostNote: written.trim() || null }))}
      />
    </div>
  )
}

/** What they keep of each talk, for the host to see and to take back. */
function Recaps({ person }: { person: Person }) {
  const kept = person.visits.flatMap(({ recapUrl, ...visit }) => (recapUrl === undefined ? [] : [{ recapUrl, ...visit }]))
  const takeBack = async (url: string) => {
    await call('end_recap', { token: url.slice(url.lastIndexOf('/') + 1) })
    await Promise.all([refresh('session'), refresh('visits')])
  }
  if (kept.length === 0) return null
  return (
    <details class="fold">
      <summary>
        What they keep <span class="tab-count">{kept.length}</span>
      </summary>
      <p class="small muted">
        A page with the slides they saw and their own questions, for whoever has its address. Taken back, it is gone.
      </p>
      <ul class="guests">
        {kept.map(({ attendeeId, recapUrl, joinedAt }) => (
          <li key={attendeeId}>
            <a href={recapUrl} target="_blank" rel="noopener noreferrer">
              Recap of <Time at={joinedAt} />
            </a>
            <Button
              dense
              kind="danger"
              aria-label={`Take back the recap of ${exactly(joinedAt)}`}
              onClick={() => void orToast(takeBack(recapUrl))}
            >
              Take back
            </Button>
          </li>
        ))}
      </ul>
    </details>
  )
}

const icons = {
  joined: LogIn,
  asked: MessageCircleQuestionMark,
  clicked: MousePointerClick,
  left: Eye,
  details: UserRoundCheck,
  consent: ShieldCheck,
}
const kinds = { joined: '', asked: 'Asked: ', clicked: '', left: '', details: '', consent: 'Agreed: ' }

function TimelineRow({ moment: { at, kind, words, sessionId, by } }: { moment: Moment }) {
  const title = useQuery(sessionsQuery).data?.rows.find(({ id }) => id === sessionId)?.title
  return (
    <li class="moment">
      <Icon of={icons[kind]} />
      <span>
        {kinds[kind]}
        <bdi>{words}</bdi>
        {kind === 'joined' && title !== undefined && (
          <>
            {' '}
            <bdi>{title}</bdi>
          </>
        )}
        {by !== undefined && (
          <span class="muted">
            {' by '}
            <bdi>{by}</bdi>
          </span>
        )}
      </span>
      <span class="small muted">
        <Time at={at} />
      </span>
    </li>
  )
}

function Unproven({ leads }: { leads: readonly Lead[] }) {
  return (
    <div class="note note-amber unproven">
      <p>These details came with so many others within an hour that nobody can say which are real. Look at them before you rely on them.</p>
      <Button
        dense
        onClick={() =>
          void orToast(
            note(
              leads.filter(({ unproven }) => unproven),
              { unproven: false },
            ),
          )
        }
      >
        This one is real
      </Button>
    </div>
  )
}

/** How many other entries there are for the same address in the same session. */
const othersOf = (lead: Lead, all: readonly Lead[]): number =>
  all.filter(({ id, sessionId, email }) => {
    const isSame = sessionId === lead.sessionId && email.toLowerCase() === lead.email.toLowerCase()
    return isSame && id !== lead.id
  }).length

async function erase({ id: leadId, sessionId = '' }: Lead, only: boolean): Promise<void> {
  await call('delete_lead', { sessionId, leadId, ...(only && { only }) })
  await refreshLeads(sessionId)
}

async function eraseEverywhere({ email }: Lead): Promise<void> {
  await call('erase_person', { email })
  await Promise.all([refresh('leads'), refresh('session')])
}

function Erase({ lead, others, onErased }: { lead: Lead; others: number; onErased: () => void }) {
  const [only, setOnly] = useState(false)
  const [everywhere, setEverywhere] = useState(false)
  return (
    <div class="actions sheet-foot">
      <OpenButton
        kind="danger"
        dense
        aria-label={`Erase ${lead.email}`}
        opens={(onClose) => (
          <ConfirmName
            act="Erase"
            title="Erase this lead?"
            name={lead.email}
            nameLabel="Type the email address"
            onClose={onClose}
            onConfirm={async () => {
              await (everywhere ? eraseEverywhere(lead) : erase(lead, only))
              onErased()
            }}
          >
            <p>
              The contact details and the name that this person gave in the room are removed here, from the transcript and from the events
              that told of them. What they asked stays, without a name. <strong>This cannot be undone.</strong>
            </p>
            <div class="erase-only">
              <Checkbox
                name="everywhere"
                checked={everywhere}
                onChange={setEverywhere}
                label="In all your talks: every lead, registration and invitation under this address, in all its spellings"
              />
            </div>
            {others > 0 && !everywhere && (
              <div class="erase-only">
                <Checkbox
                  name="only"
                  checked={only}
                  onChange={setOnly}
                  label={`Only this entry. Otherwise all ${others + 1} entries for this address are erased.`}
                />
              </div>
            )}
          </ConfirmName>
        )}
      >
        Erase
      </OpenButton>
    </div>
  )
}
