// The keys of the editor: Enter parts a sentence, Backspace at its beginning joins it with the one before, and undo is of the whole talk.
import type { Place } from './script-text.ts'
import * as acts from './script-text.ts'
import type { Editing } from './use-script.ts'

export const keyWords: readonly (readonly [keys: string, does: string])[] = [
  ['Enter', 'a new sentence from the caret on'],
  ['Backspace at its beginning', 'joins it with the sentence before'],
  ['Alt ↑, Alt ↓', 'moves the sentence, over the edge to the next slide'],
  ['Ctrl Z, Ctrl Shift Z', 'undo and redo, whatever it was'],
  ['Ctrl S', 'saves'],
]

type AreaKey = KeyboardEvent & { currentTarget: HTMLTextAreaElement }

/** What the keys do in the text of slide `at`. */
export function useKeys(editing: Editing, at: number, language: string): (event: AreaKey) => void {
  const { script } = editing
  const text = script[at]?.text ?? ''
  const put = ({ text: next, caret }: acts.Edited, from: number) =>
    editing.edit(acts.withText(script, at, next), { from: { at, caret: from }, to: { at, caret } })

  return (event) => {
    if (event.isComposing) return
    const { selectionStart: caret, selectionEnd: end } = event.currentTarget
    const key = event.key.toLowerCase()
    const done = (act: () => void) => {
      event.preventDefault()
      act()
    }
    if (event.altKey && (key === 'arrowup' || key === 'arrowdown'))
      return done(() => move(editing, { at, caret }, key === 'arrowup' ? -1 : 1))
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (key === 'enter' && caret === end) return done(() => put(acts.split(text, caret, language), caret))
    const isLineStart = caret === end && caret > 0 && text[caret - 1] === '\n'
    if (key === 'backspace' && isLineStart) return done(() => put(acts.join(text, acts.lineAt(text, caret) - 1, language), caret))
  }
}

/** Wherever the focus is, but in a field that has a history of its own. */
export const commandKeys =
  (editing: Editing) =>
  (event: KeyboardEvent): void => {
    const isField = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox'
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isField) return
    const key = event.key.toLowerCase()
    const act = key === 's' ? () => void editing.save() : key === 'y' || (key === 'z' && event.shiftKey) ? editing.redo : editing.undo
    if (key !== 's' && key !== 'y' && key !== 'z') return
    event.preventDefault()
    act()
  }

export function move(editing: Editing, from: Place, step: -1 | 1): void {
  const { script, place } = acts.moved(editing.script, from, step)
  editing.edit(script, { from, to: place })
}
