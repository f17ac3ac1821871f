// What stays at hand above the text: of the talk, to hear it, take an act back and save it; of the sentence at the caret, each act with a
// button beside its key.
import type { ComponentChildren } from 'preact'
import { Button } from '../../ui/button.tsx'
import { move } from './script-keys.ts'
import type { Edited, Place } from './script-text.ts'
import * as acts from './script-text.ts'
import type { Editing } from './use-script.ts'

export interface ScriptToolsProps {
  editing: Editing
  language: string
  place: Place
  isHeard: boolean
  onPlay(): void
  onFind(): void
  isFinding: boolean
  /** The find bar. */
  children: ComponentChildren
}

export function ScriptTools({ editing, language, place, isHeard, onPlay, onFind, isFinding, children }: ScriptToolsProps) {
  const { script, isChanged, isSaving } = editing
  const { at, caret } = place
  const text = script[at]?.text ?? ''
  const line = acts.lineAt(text, caret)
  const put = ({ text: next, caret: to }: Edited) =>
    editing.edit(acts.withText(script, at, next), { from: { at, caret }, to: { at, caret: to } })
  const isEmpty = text.trim() === ''
  // A press must not take the caret out of the text.
  const keepCaret = (event: MouseEvent) => event.preventDefault()
  return (
    <div class="script-tools">
      <div class="script-tool-row" role="toolbar" aria-label="The talk" onMouseDown={keepCaret}>
        <Button dense aria-label={isHeard ? 'Stop' : 'Play from here'} onClick={onPlay}>
          {isHeard ? 'Stop' : 'Play'}
          {!isHeard && <span class="script-wide"> from here</span>}
        </Button>
        <Button kind="quiet" dense idle={editing.past.length === 0} onClick={editing.undo}>
          Undo
        </Button>
        <Button kind="quiet" dense idle={editing.future.length === 0} onClick={editing.redo}>
          Redo
        </Button>
        <span class="small muted script-state" role="status" data-testid="script-state">
          {isSaving ? 'Saving' : isChanged ? 'Not saved yet' : 'Saved'}
        </span>
        <Button
          kind={isChanged ? 'primary' : 'plain'}
          dense
          aria-label="Save script"
          busy={isSaving}
          idle={!isChanged}
          onClick={() => void editing.save()}
        >
          Save
        </Button>
      </div>
      <div class="script-tool-row" role="toolbar" aria-label={`Sentence ${line + 1} of slide ${at + 1}`} onMouseDown={keepCaret}>
        <Button kind="quiet" dense idle={isEmpty} onClick={() => put(acts.split(text, caret, language))}>
          Split
        </Button>
        <Button
          kind="quiet"
          dense
          aria-label="Join with the next sentence"
          idle={line + 1 >= text.split('\n').length}
          onClick={() => put(acts.join(text, line, language))}
        >
          Join
        </Button>
        <Button kind="quiet" dense idle={isEmpty} onClick={() => move(editing, place, -1)}>
          Up
        </Button>
        <Button kind="quiet" dense idle={isEmpty} onClick={() => move(editing, place, 1)}>
          Down
        </Button>
        <Button kind="quiet" dense idle={isEmpty} onClick={() => put(acts.withoutLine(text, line))}>
          Leave out
        </Button>
        <Button kind="quiet" dense aria-label="Find and replace" aria-expanded={isFinding} onClick={onFind}>
          Find
        </Button>
        <span class="small muted script-state">{restsOn(editing, at, line)}</span>
      </div>
      {children}
    </div>
  )
}

/** What the sentence at the caret rests on. */
function restsOn({ script, base }: Editing, at: number, line: number): string {
  const words = script[at]?.text.split('\n')[line]?.trim()
  const saved = base.slides.find(({ slideId }) => slideId === script[at]?.slideId)
  const sentence = saved?.sentences.find(({ text }) => text === words)
  if (sentence === undefined || words === undefined) return ''
  const names = sentence.sources.map(({ type, index }) => (type === 'slide' ? `slide ${index + 1}` : `passage ${index + 1}`))
  return names.length === 0 ? '' : `from ${[...new Set(names)].join(', ')}`
}
