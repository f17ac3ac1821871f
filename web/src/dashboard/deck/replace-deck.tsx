// Sending a new deck: the old one stays in service until the new one is ready, and for good if that fails.
import { showToast } from '../../ui/toast.tsx'
import { call, upload } from '../data/api.ts'
import { commitWaiting } from '../data/undoable.ts'
import { decks } from '../parts/file-field.tsx'
import { UploadDialog } from '../parts/upload-dialog.tsx'
import { refreshDeck } from './deck-acts.ts'

export function ReplaceDeck({ id, isFirst, onClose }: { id: string; isFirst: boolean; onClose: () => void }) {
  const send = async (files: readonly File[], onProgress: (share: number) => void) => {
    // A slide of the same content keeps its id in the new deck: a delete that came after would take it there.
    await commitWaiting()
    await upload('put_deck', { sessionId: id }, files, onProgress)
    await refreshDeck(id)
    showToast({ text: 'The deck is sent and being read.' })
  }
  const sendLink = async (pdfUrl: string) => {
    await commitWaiting()
    await call('put_deck', { sessionId: id, pdfUrl })
    await refreshDeck(id)
    showToast({ text: 'The file is fetched and being read.' })
  }
  return (
    <UploadDialog act={isFirst ? 'Add slides' : 'Replace deck'} kind={decks} send={send} sendLink={sendLink} onClose={onClose}>
      {!isFirst && (
        <p class="muted">People in a running talk keep the slides they have. Questions and figures stay on slides that did not change.</p>
      )}
    </UploadDialog>
  )
}
