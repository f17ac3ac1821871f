// The publish sheet over whatever screen its button is on, and a button that opens it.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { SessionDetail, SessionRecord } from '../data/wire.ts'
import { PublishForm } from './publish-form.tsx'

export function PublishDialog({ session, onClose }: { session: SessionRecord; onClose: () => void }) {
  return (
    <Dialog open title="Publish this talk?" closeLabel="Cancel" onClose={onClose}>
      <PublishForm session={session} onPublished={onClose} />
    </Dialog>
  )
}

export function PublishButton({ session, kind = 'plain' }: { session: SessionDetail; kind?: 'plain' | 'primary' }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button kind={kind} onClick={() => setAsking(true)}>
        Publish
      </Button>
      {isAsking && <PublishDialog session={session} onClose={() => setAsking(false)} />}
    </>
  )
}
