// The publish sheet over whatever screen its button is on.
import { Dialog } from '../../ui/dialog.tsx'
import type { SessionRecord } from '../data/wire.ts'
import { PublishForm } from './publish-form.tsx'

export function PublishDialog({ session, onClose }: { session: SessionRecord; onClose: () => void }) {
  return (
    <Dialog open title="Publish this talk?" closeLabel="Cancel" onClose={onClose}>
      <PublishForm session={session} onPublished={onClose} />
    </Dialog>
  )
}
