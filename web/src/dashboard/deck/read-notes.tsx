// Asks whose words the notes of a deck are: private, or what the presenter says. It is never guessed; the count and the first words
// tell what would become public.
import { Button } from '../../ui/button.tsx'
import { useBusy } from '../data/undoable.ts'
import type { Deck } from '../data/wire.ts'
import { plural } from '../parts/format.ts'
import { sayNotes } from './deck-acts.ts'

const previewMax = 160

export function ReadNotes({ sessionId, deck }: { sessionId: string; deck: Deck }) {
  const [isBusy, run] = useBusy()
  const { notesWords = 0, notesAs = 'private' } = deck
  if (notesWords === 0) return null
  const isSaid = notesAs === 'narration'
  const first = deck.slides.find(({ agentNotes }) => /\p{L}/u.test(agentNotes.replace(/\[[^\]]{0,300}\]/gu, '')))
  return (
    <div class="write-script" data-testid="read-notes">
      <p class="small" role="status">
        {isSaid
          ? `The presenter says your notes: ${plural(notesWords, 'word')}, public in the room.`
          : `This deck has ${plural(notesWords, 'word')} of notes. They are private. If they are what you would say, the presenter can read them out instead of a compiled script; they are public then.`}
      </p>
      {!isSaid && first !== undefined && (
        <blockquote class="small muted">
          Slide {first.index + 1}: {first.agentNotes.trim().slice(0, previewMax)}
          {first.agentNotes.trim().length > previewMax && '…'}
        </blockquote>
      )}
      <div class="actions">
        <Button dense busy={isBusy} onClick={() => void run(sayNotes(sessionId, isSaid ? 'private' : 'narration'))}>
          {isSaid ? 'Make my notes private again' : 'Read my notes out'}
        </Button>
      </div>
    </div>
  )
}
