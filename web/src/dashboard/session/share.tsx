// Ways into the room: the link, its QR code, the embed snippet with the sites that may use it, and the rehearsal link.
import { ExternalLink } from 'lucide'
import { useState } from 'preact/hooks'
import { Button, buttonClass } from '../../ui/button.tsx'
import { webClock } from '../../ui/clock.ts'
import { Copy } from '../../ui/copy.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Qr, qrShape, qrSvg } from '../../ui/qr.tsx'
import { showToast } from '../../ui/toast.tsx'
import { FieldsRefused, useForm } from '../../ui/use-form.ts'
import { call } from '../data/api.ts'
import { changeSession, refreshSession } from '../data/queries.ts'
import { orToast, useBusy } from '../data/undoable.ts'
import type { SessionDetail } from '../data/wire.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { absolute, exactly } from '../parts/format.ts'
import { fileName, saveFile } from '../parts/save-file.ts'
import { Recordings } from './recordings.tsx'
import { RegistrationPart, UntilField, untilIn } from './registrations.tsx'
import { GuestLinks, GuestsField, guestsIn } from './guest-list.tsx'
import { invitationTo, noteLinkCopied } from './session-acts.ts'
import { SessionFrame } from './session-frame.tsx'

export function Share({ id }: { id: string }) {
  return (
    <SessionFrame id={id} tab="Share">
      {(session) => (
        <div class="share">
          {session.guests === undefined ? (
            <>
              <LinkPart session={session} />
              <RegistrationPart session={session} />
              <EmbedPart session={session} />
            </>
          ) : (
            <GuestsPart session={session} />
          )}
          <RehearsalPart session={session} />
          <Recordings sessionId={session.id} />
        </div>
      )}
    </SessionFrame>
  )
}

function LinkPart({ session }: { session: SessionDetail }) {
  const [source, setSource] = useState('')
  const named = source.trim()
  const link = absolute(session.shareLink) + (named === '' ? '' : `?source=${encodeURIComponent(named)}`)
  const png = async () => {
    const { size, path } = await qrShape(link)
    saveFile(fileName(session.title, 'qr.png'), await drawn(size, path), 'image/png')
  }
  const svg = async () => saveFile(fileName(session.title, 'qr.svg'), qrSvg(await qrShape(link)), 'image/svg+xml')
  return (
    <section class="section share-link" aria-labelledby="share-link">
      <div>
        <h2 id="share-link">Join link</h2>
        {session.status === 'draft' ? (
          <p class="note note-amber">The session is a draft: the link works once it is published.</p>
        ) : (
          <p class="muted">People can come: the link works.</p>
        )}
        <a class="join-link" data-testid="join-link" href={link} target="_blank" rel="noopener">
          {link}
        </a>
        <div class="actions">
          <Copy value={link} label="Copy link" kind="primary" onCopied={noteLinkCopied} />
          {session.status === 'published' && (
            <a class={buttonClass()} href={link} target="_blank" rel="noopener">
              <Icon of={ExternalLink} />
              Open as attendee
            </a>
          )}
        </div>
        <TextField
          label="Name this link"
          name="source"
          maxLength={100}
          placeholder="newsletter"
          value={source}
          hint="People and Analytics then say who came by it. Links with utm_source are told apart too."
          onInput={({ currentTarget: { value } }) => setSource(value)}
        />
        <Invitation session={session} link={link} />
      </div>
      <div class="qr-part">
        <Qr text={link} label={`QR code of ${link}`} />
        <div class="actions">
          <Button dense onClick={() => void svg()}>
            Download SVG
          </Button>
          <Button dense onClick={() => void png()}>
            Download PNG
          </Button>
        </div>
      </div>
    </section>
  )
}

function Invitation({ session, link }: { session: SessionDetail; link: string }) {
  const { text, mail } = invitationTo(session, link)
  return (
    <div class="invitation">
      <h3>Invitation</h3>
      <p class="well-text">{text}</p>
      <div class="actions">
        <Copy dense value={text} label="Copy invitation" />
        <a class={buttonClass('plain', true)} href={mail}>
          Write a mail
        </a>
      </div>
    </div>
  )
}

/** A talk for people who are named has no link, code or frame for all. */
function GuestsPart({ session }: { session: SessionDetail }) {
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ guests: typed = '', ...values }) {
      const named = guestsIn(typed)
      if ('error' in named) throw new FieldsRefused('', { guests: named.error })
      await changeSession(session.id, { ...named, ...untilIn(values) }).catch((error: unknown) => refusedForm(error))
      showToast({ text: 'People saved.' })
    },
  })
  const until = session.linksUntil
  const isPast = until !== undefined && Date.parse(until) <= webClock.now()
  return (
    <section class="section" aria-labelledby="guests">
      <h2 id="guests">People you named</h2>
      {session.status === 'draft' ? (
        <p class="note note-amber">The session is a draft: the links work once it is published.</p>
      ) : (
        <p class="muted">
          Each can come by a link of their own{until !== undefined && !isPast && ` until ${exactly(until)}`}. Everybody else is told that
          they need an invitation.
        </p>
      )}
      {isPast && <p class="note note-amber">Their links ended {exactly(until)}. A later end, or none, opens them again.</p>}
      <GuestLinks session={session} />
      <details class="fold">
        <summary>Change who can come</summary>
        <form class="form embed-sites" noValidate onSubmit={onSubmit}>
          <GuestsField guests={session.guests} error={errors['guests'] ?? failure} />
          <UntilField session={session} error={errors['linksUntil']} />
          <div class="actions">
            <Button type="submit" busy={busy}>
              Save people
            </Button>
            <Button kind="quiet" onClick={() => void orToast(changeSession(session.id, { guests: null }))}>
              Open to everybody with the link
            </Button>
          </div>
        </form>
      </details>
    </section>
  )
}

/** The code as a PNG large enough to print. */
async function drawn(size: number, path: string): Promise<Blob> {
  const scale = Math.ceil(1024 / size)
  const canvas = new OffscreenCanvas(size * scale, size * scale)
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser cannot draw the picture; take the SVG.')
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = 'black'
  context.scale(scale, scale)
  const paint = (shape: Path2D) => context.fill(shape)
  paint(new Path2D(path))
  return canvas.convertToBlob({ type: 'image/png' })
}

const attribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

function EmbedPart({ session }: { session: SessionDetail }) {
  const snippet = `<iframe src="${absolute(session.shareLink)}?embed=1" title="${attribute(session.title)}" width="960" height="640" allow="autoplay; microphone; clipboard-write; fullscreen; screen-wake-lock" loading="lazy"></iframe>`
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ sites = '' }) {
      const embedOrigins = sites.split(/\s+/).filter(Boolean)
      await changeSession(session.id, { embedOrigins: embedOrigins.length === 0 ? null : embedOrigins }).catch((error: unknown) =>
        refusedForm(error, { embedOrigins: 'sites' }),
      )
      showToast({ text: 'Sites saved.' })
    },
  })
  return (
    <section class="section" aria-labelledby="embed">
      <h2 id="embed">Embed on a site</h2>
      <code class="well">{snippet}</code>
      <div class="actions">
        <Copy value={snippet} label="Copy snippet" />
      </div>
      <form class="form embed-sites" noValidate onSubmit={onSubmit}>
        <TextArea
          label="Sites that may embed it"
          name="sites"
          rows={2}
          defaultValue={(session.embedOrigins ?? []).join('\n')}
          placeholder="https://www.example.com"
          hint="One a line, without a path. Empty: any site."
          error={errors['sites'] ?? failure}
        />
        <div class="actions">
          <Button type="submit" busy={busy}>
            Save sites
          </Button>
        </div>
      </form>
    </section>
  )
}

function RehearsalPart({ session }: { session: SessionDetail }) {
  const [busy, run] = useBusy()
  const change = async (act: 'create_rehearsal_link' | 'delete_rehearsal_link', told: string) => {
    await call(act, { sessionId: session.id })
    await refreshSession(session.id)
    showToast({ text: told })
  }
  return (
    <section class="section" aria-labelledby="rehearsal">
      <h2 id="rehearsal">Rehearsal link</h2>
      <p class="muted">Anyone with it can try the talk, also while it is a draft. Nothing is counted, charged or sent to webhooks.</p>
      {session.rehearsalUrl === undefined ? (
        <div class="actions">
          <Button busy={busy} onClick={() => void run(change('create_rehearsal_link', 'New rehearsal link made.'))}>
            Make a rehearsal link
          </Button>
        </div>
      ) : (
        <>
          <code class="well">{absolute(session.rehearsalUrl)}</code>
          <div class="actions">
            <Copy value={absolute(session.rehearsalUrl)} label="Copy rehearsal link" />
            <Button busy={busy} onClick={() => void run(change('create_rehearsal_link', 'New link made. The old one no longer works.'))}>
              Replace link
            </Button>
            <Button kind="danger" busy={busy} onClick={() => void run(change('delete_rehearsal_link', 'Rehearsal link revoked.'))}>
              Revoke
            </Button>
          </div>
        </>
      )}
    </section>
  )
}
