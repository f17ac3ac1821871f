// The publish sheet over whatever screen its button is on, and a button that opens it.
import { Dialog } from '../../ui/dialog.tsx'
import type { SessionDetail, SessionRecord } from '../data/wire.ts'
import { PublishForm } from './publish-form.tsx'
import { OpenButton } from '../parts/open-button.tsx'

export function PublishDialog({ session, onClose }: { session: SessionRecord; onClose: () => void }) {
  return (
    <Dialog open title="Publish this talk?" closeLabel="Cancel" onClose={onClose}>
      <PublishForm session={session} onPublished={onClose} />
    </Dialog>
  )
}

export function PublishButton({ session, kind = 'plain' }: { session: SessionDetail; kind?: 'plain' | 'primary' }) {
  return (
    <OpenButton kind={kind} opens={(onClose) => <PublishDialog session={session} onClose={onClose} />}>
      Publish
    </OpenButton>
  )
}
