// Finds words in the whole talk, one place after the other, and puts others in their place.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { plural } from '../parts/format.ts'
import { found, replaced } from './script-text.ts'
import type { Editing } from './use-script.ts'

export function FindBar({ editing, onClose }: { editing: Editing; onClose: () => void }) {
  const [words, setWords] = useState('')
  const [other, setOther] = useState('')
  const [isCaseKept, setCaseKept] = useState(false)
  const [at, setAt] = useState(-1)
  const places = found(editing.script, words, isCaseKept)
  const next = () => {
    const index = (at + 1) % Math.max(1, places.length)
    const place = places[index]
    if (place === undefined) return
    setAt(index)
    editing.show({ at: place.at, caret: place.start, end: place.end })
  }
  const replaceAll = () => {
    editing.edit(replaced(editing.script, places, other), { from: null })
    showToast({ text: `${plural(places.length, 'place')} changed. Undo brings them back.` })
  }
  return (
    <form
      class="find-bar"
      role="search"
      aria-label="Find and replace"
      onSubmit={(event) => {
        event.preventDefault()
        next()
      }}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <TextField
        label="Find"
        name="find"
        value={words}
        autofocus
        onInput={(event) => {
          setWords(event.currentTarget.value)
          setAt(-1)
        }}
      />
      <TextField label="Replace with" name="replace" value={other} onInput={(event) => setOther(event.currentTarget.value)} />
      <Checkbox label="Match case" name="case" checked={isCaseKept} onChange={setCaseKept} />
      <p class="small muted" role="status">
        {words === '' ? '' : places.length === 0 ? 'Not found' : at < 0 ? `${places.length} found` : `${at + 1} of ${places.length}`}
      </p>
      <div class="actions">
        <Button dense type="submit" idle={places.length === 0}>
          Next
        </Button>
        <Button dense idle={places.length === 0} onClick={replaceAll}>
          Replace all
        </Button>
        <Button kind="quiet" dense onClick={onClose}>
          Close
        </Button>
      </div>
    </form>
  )
}
