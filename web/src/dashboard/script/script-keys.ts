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
    const isCommand = event.ctrlKey || event.metaKey
    const key = event.key.toLowerCase()
    const done = (act: () => void) => {
      event.preventDefault()
      act()
    }
    if (isCommand && key === 'z') return done(event.shiftKey ? editing.redo : editing.undo)
    if (isCommand && key === 'y') return done(editing.redo)
    if (isCommand && key === 's') return done(() => void editing.save())
    if (event.altKey && (key === 'arrowup' || key === 'arrowdown'))
      return done(() => move(editing, { at, caret }, key === 'arrowup' ? -1 : 1))
    if (isCommand || event.altKey) return
    if (key === 'enter' && caret === end) return done(() => put(acts.split(text, caret, language), caret))
    const isLineStart = caret === end && caret > 0 && text[caret - 1] === '\n'
    if (key === 'backspace' && isLineStart) return done(() => put(acts.join(text, acts.lineAt(text, caret) - 1, language), caret))
  }
}

export function move(editing: Editing, from: Place, step: -1 | 1): void {
  const { script, place } = acts.moved(editing.script, from, step)
  editing.edit(script, { from, to: place })
}
