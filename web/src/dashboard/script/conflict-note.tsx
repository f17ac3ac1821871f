// Somebody else has saved the same slide: both texts are there, and the host says which one stays.
import { Button } from '../../ui/button.tsx'
import type { Editing } from './use-script.ts'

export function ConflictNote({ editing }: { editing: Editing }) {
  const { conflict, failure, script } = editing
  if (failure !== null) {
    return (
      <p class="note note-red" role="alert">
        {failure}
      </p>
    )
  }
  if (conflict === null) return null
  const numbers = script.flatMap(({ slideId }, at) => (conflict.both.includes(slideId) ? [at + 1] : []))
  return (
    <div class="note note-amber script-conflict" role="alert">
      <p>
        Not saved: {numbers.length === 1 ? `slide ${numbers[0]} was` : `slides ${numbers.join(', ')} were`} changed elsewhere while you were
        writing. Your text is still here.
      </p>
      <div class="actions">
        <Button dense onClick={() => void editing.keepMine()}>
          Save mine
        </Button>
        <Button dense onClick={editing.takeTheirs}>
          Take theirs
        </Button>
        <span class="small muted">Undo brings yours back, and Versions keeps both.</span>
      </div>
    </div>
  )
}
