// The button that opens the question of who should find the talk.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import type { SessionDetail } from '../data/wire.ts'
import { PublishDialog } from './publish-dialog.tsx'

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
