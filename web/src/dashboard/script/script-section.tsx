// One slide in the document: its heading, the text that is said, what is to be looked at in it, and what a model would say instead.
import { useId, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { duration } from '../parts/format.ts'
import { SlideOf } from '../parts/text-slide.tsx'
import type { Proposal, ScriptFinding, ScriptSlideView, Slide } from '../data/wire.ts'
import { findingWord, fixWord } from './finding-words.ts'
import { GrowArea } from './grow-area.tsx'
import { PollsDialog } from './polls-dialog.tsx'
import { useKeys } from './script-keys.ts'
import type { FixedLine, TextSlide } from './script-text.ts'
import * as acts from './script-text.ts'
import type { Editing } from './use-script.ts'

export interface SectionProps {
  sessionId: string
  editing: Editing
  language: string
  at: number
  slide: TextSlide
  /** As it is on the server. */
  saved: ScriptSlideView | undefined
  seconds: number
  picture: Slide | undefined
  findings: readonly (ScriptFinding & { line?: number })[]
  proposals: readonly Proposal[]
  isCurrent: boolean
  /** The line that is being said. */
  heard: number | undefined
  isTheirs: boolean
  onPlace(caret: number, end: number): void
  onDecided(proposal: Proposal): void
  /** Absent without a model. */
  onWrite?: (() => void) | undefined
  isWriting: boolean
}

export function ScriptSection(props: SectionProps) {
  const { editing, language, at, slide, saved, seconds, picture, findings, proposals, heard, onPlace } = props
  const id = useId()
  const [isAsking, setAsking] = useState(false)
  const keys = useKeys(editing, at, language)
  const marks = new Map(findings.flatMap(({ line }): [number, string][] => (line === undefined ? [] : [[line, 'grow-line-found']])))
  if (heard !== undefined) marks.set(heard, `${marks.get(heard) ?? ''} grow-line-heard`)
  const { script } = editing
  const known = findings.length > 0 ? `${id}-findings` : undefined
  const isQuiet = slide.isSilent || slide.isCompiled || (slide.text === '' && slide.before.length + slide.after.length === 0)
  return (
    <section class="doc-slide" aria-labelledby={id} data-testid="doc-slide" data-current={props.isCurrent}>
      <div class="doc-head">
        <h2 id={id}>
          <span class="vh">Slide </span>
          {at + 1}. <bdi>{slide.title || 'Without a title'}</bdi>
        </h2>
        <p class="small muted">{stateWords(slide, saved, seconds)}</p>
        <Menu
          label={`More for slide ${at + 1}`}
          dense
          items={[
            ...(slide.isSilent ? [] : [{ label: 'Say nothing here', onSelect: () => editing.edit(acts.silenced(script, at)) }]),
            ...(saved?.written === true || saved?.silent === true || slide.text !== ''
              ? [{ label: 'Back to the compiled text', onSelect: () => editing.edit(acts.recompiled(script, at)) }]
              : []),
            ...(picture === undefined
              ? []
              : [{ label: picture.polls ? `Polls (${picture.polls.length})` : 'Ask the room', onSelect: () => setAsking(true) }]),
            ...(props.onWrite === undefined ? [] : [{ label: 'Write this slide', onSelect: props.onWrite }]),
            { label: 'Move the slide earlier', onSelect: () => editing.edit(acts.movedSlide(script, at, at - 1)) },
            { label: 'Move the slide later', onSelect: () => editing.edit(acts.movedSlide(script, at, at + 1)) },
          ]}
        >
          More
        </Menu>
      </div>
      {picture !== undefined && (
        <div class="doc-picture">
          <SlideOf slide={picture} isLazy />
        </div>
      )}
      {props.isTheirs && <p class="note note-amber small">This slide was changed elsewhere while you were writing.</p>}
      <FixedLines {...props} lines={slide.before} name="Opening" />
      <GrowArea
        label={`What is said on slide ${at + 1}`}
        language={language}
        value={slide.text}
        describedBy={known}
        marks={marks}
        placeholder={placeholderOf(slide, saved)}
        focus={editing.focus?.at === at ? editing.focus : null}
        onText={(text, _caret, before) => editing.edit(acts.withText(script, at, text), { from: { at, caret: before }, isTyping: true })}
        onCaret={onPlace}
        onKeyDown={keys}
      />
      {isQuiet && slide.isSilent && <p class="small muted">The slide is shown for a moment, in silence. Type to say something.</p>}
      <FixedLines {...props} lines={slide.after} name={at === script.length - 1 ? 'Closing' : 'Question'} />
      {findings.length > 0 && (
        <ul class="doc-findings" id={known} aria-label={`To look at on slide ${at + 1}`}>
          {findings.map((finding, index) => (
            <FindingRow key={`${finding.code} ${index}`} {...props} finding={finding} />
          ))}
        </ul>
      )}
      {isAsking && picture !== undefined && <PollsDialog sessionId={props.sessionId} slide={picture} onClose={() => setAsking(false)} />}
      {props.isWriting && (
        <p class="small muted" role="status">
          The model is writing this slide.
        </p>
      )}
      {proposals.length > 0 && <Proposals {...props} />}
    </section>
  )
}

function stateWords({ text, isSilent, isCompiled }: TextSlide, saved: ScriptSlideView | undefined, seconds: number): string {
  if (saved?.skipped === true) return 'Left out: its notes say [skip]'
  if (isCompiled) return 'Compiled again when you save'
  if (isSilent) return 'Silent'
  const whose = saved?.written === true || text !== textNow(saved) ? 'your words' : 'compiled'
  return `${duration(seconds)} · ${whose}`
}

const textNow = (saved: ScriptSlideView | undefined): string =>
  (saved?.sentences ?? []).flatMap(({ text, fixed }) => (fixed === true ? [] : [text])).join('\n')

function placeholderOf({ isSilent, isCompiled }: TextSlide, saved: ScriptSlideView | undefined): string {
  if (isSilent) return 'Nothing is said here'
  if (isCompiled) return 'The compiled text comes back when you save'
  return saved?.skipped === true ? 'This slide is left out' : 'Nothing more is said here'
}

/** What the presenter says of itself, and questions of the notes: in other words, in the same place. */
function FixedLines({ editing, language, at, lines, name }: SectionProps & { lines: readonly FixedLine[]; name: string }) {
  if (lines.length === 0) return null
  return (
    <div class="doc-fixed" role="group" aria-label={`${name} of slide ${at + 1}`}>
      <p class="small muted">{name}</p>
      {lines.map(({ beatId, text }, index) => (
        <GrowArea
          key={beatId}
          label={`${name}, sentence ${index + 1}`}
          language={language}
          value={text}
          maxLength={240}
          onText={(next) => editing.edit(acts.withFixed(editing.script, at, beatId, next.replaceAll('\n', ' ')), { isTyping: true })}
        />
      ))}
    </div>
  )
}

function FindingRow({ editing, at, slide, finding }: SectionProps & { finding: ScriptFinding & { line?: number } }) {
  const { line, fix, code, detail } = finding
  const isLast = acts.linesOf(slide.text).length < 2
  const mend = () => {
    const next = acts.mended(editing.script, [{ at, ...finding }])
    editing.edit(next, { from: { at, caret: 0 }, to: { at, caret: acts.spanOf(next[at]?.text ?? '', line ?? 0)[0] } })
  }
  return (
    <li class="doc-finding">
      <span class="doc-finding-words">
        <strong>{findingWord(code)}.</strong> {detail}
      </span>
      {line !== undefined && (
        <span class="actions">
          <Button
            kind="quiet"
            dense
            aria-label={`Show sentence ${line + 1} of slide ${at + 1}`}
            onClick={() => editing.show({ at, caret: acts.spanOf(slide.text, line)[0] })}
          >
            Show
          </Button>
          {fix !== undefined && !(fix === null && isLast) && (
            <Button kind="quiet" dense aria-label={`${fixWord(fix)}: ${finding.text ?? ''}`} onClick={mend}>
              {fixWord(fix)}
            </Button>
          )}
        </span>
      )}
    </li>
  )
}

function Proposals({ editing, at, slide, proposals, onDecided }: SectionProps) {
  const take = (taken: readonly Proposal[]) => {
    let { text } = slide
    for (const { was, text: words } of taken) {
      const line = text.split('\n').findIndex((each) => each.trim() === was)
      if (line >= 0) text = acts.withLine(text, line, words)
    }
    editing.edit(acts.withText(editing.script, at, text), { from: { at, caret: 0 } })
    for (const proposal of taken) onDecided(proposal)
  }
  return (
    <div class="doc-proposals" role="group" aria-label={`Proposals for slide ${at + 1}`}>
      <ul class="doc-proposal-list">
        {proposals.map((proposal) => (
          <li key={proposal.beatId} class="doc-proposal" data-testid="proposal">
            <p class="small muted">
              <span class="vh">Instead of: </span>
              <del>{proposal.was}</del>
            </p>
            <p dir="auto">{proposal.text}</p>
            <div class="actions">
              <Button dense aria-label={`Take: ${proposal.text}`} onClick={() => take([proposal])}>
                Take
              </Button>
              <Button kind="quiet" dense aria-label={`Leave: ${proposal.text}`} onClick={() => onDecided(proposal)}>
                Leave
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {proposals.length > 1 && (
        <Button dense onClick={() => take(proposals)}>
          Take all {proposals.length}
        </Button>
      )}
    </div>
  )
}
