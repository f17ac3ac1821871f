// The acts at the end of a session's row: the two a host needs most, the rest in a menu.
import { Ellipsis, Link, Play } from 'lucide'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import type { SessionRecord } from '../data/wire.ts'
import { ConfirmName } from '../parts/confirm-name.tsx'
import { PublishDialog } from './publish-button.tsx'
import { copyLink, deleteSession, duplicate, rehearse, unpublish } from './session-acts.ts'

export function SessionActions({ session }: { session: SessionRecord }) {
  const [isDeleting, setDeleting] = useState(false)
  const [isPublishing, setPublishing] = useState(false)
  const isPublished = session.status === 'published'
  return (
    <div class="cell-actions">
      <span class="row-buttons">
        <Button kind="quiet" dense onClick={() => void copyLink(session)}>
          <Icon of={Link} />
          Copy link
        </Button>
        <Button kind="quiet" dense onClick={() => void rehearse(session.id)}>
          <Icon of={Play} />
          Rehearse
        </Button>
      </span>
      <Menu
        label={`More for ${session.title}`}
        dense
        items={[
          ...(isPublished ? [{ label: 'Open room', href: session.shareLink }] : []),
          { label: 'Copy link', keys: 'c', onSelect: () => void copyLink(session) },
          { label: 'Rehearse', keys: 'r', onSelect: () => void rehearse(session.id) },
          { label: 'Duplicate', onSelect: () => void duplicate(session) },
          isPublished
            ? { label: 'Unpublish', onSelect: () => void unpublish(session) }
            : { label: 'Publish', onSelect: () => setPublishing(true) },
          { label: 'Delete session', danger: true, onSelect: () => setDeleting(true) },
        ]}
      >
        <Icon of={Ellipsis} />
      </Menu>
      {isPublishing && <PublishDialog session={session} onClose={() => setPublishing(false)} />}
      {isDeleting && <DeleteSession session={session} onClose={() => setDeleting(false)} />}
    </div>
  )
}

export function DeleteSession({ session, onClose, onDone }: { session: SessionRecord; onClose: () => void; onDone?: () => void }) {
  return (
    <ConfirmName
      act="Delete session"
      title="Delete this session?"
      name={session.title}
      nameLabel="Type its title"
      onClose={onClose}
      onConfirm={async () => {
        await deleteSession(session.id)
        onDone?.()
      }}
    >
      <p>
        Its slides, knowledge, runs and leads are removed and running talks end. <strong>This cannot be undone.</strong>
      </p>
    </ConfirmName>
  )
}
