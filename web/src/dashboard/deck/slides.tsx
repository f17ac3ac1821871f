// The deck: pick a slide, change its text and its private notes; reorder; replace.
import { useLocation } from 'preact-iso/router'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { deckQuery } from '../data/queries.ts'
import { useBusy } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import type { Deck, SessionDetail } from '../data/wire.ts'
import { plural } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { SessionFrame } from '../session/session-frame.tsx'
import { putBack } from './deck-acts.ts'
import { DeckStatus } from './deck-status.tsx'
import { ReadNotes } from './read-notes.tsx'
import { ReplaceDeck } from './replace-deck.tsx'
import { SlideEditor } from './slide-editor.tsx'
import { SlideList } from './slide-list.tsx'

export function Slides({ id }: { id: string }) {
  const [isReplacing, setReplacing] = useState(false)
  return (
    <SessionFrame
      id={id}
      tab="Slides"
      actions={({ slidesCount }) => slidesCount > 0 && <Button onClick={() => setReplacing(true)}>Replace deck</Button>}
    >
      {(session) => (
        <>
          <DeckScreen session={session} onReplace={() => setReplacing(true)} />
          {isReplacing && <ReplaceDeck id={id} isFirst={session.slidesCount === 0} onClose={() => setReplacing(false)} />}
        </>
      )}
    </SessionFrame>
  )
}

function DeckScreen({ session, onReplace }: { session: SessionDetail; onReplace: () => void }) {
  const query = useQuery(deckQuery(session.id))
  return (
    <Loaded query={query} rows={8}>
      {(deck) =>
        deck.slides.length === 0 ? (
          <>
            {deck.state !== 'none' && <DeckStatus session={session} deck={deck} onReplace={onReplace} />}
            {(deck.state === 'ready' || deck.state === 'none') && <NoDeck onReplace={onReplace} />}
          </>
        ) : (
          <>
            {deck.state !== 'ready' && <DeckStatus session={session} deck={deck} onReplace={onReplace} />}
            <Deck session={session} deck={deck} />
          </>
        )
      }
    </Loaded>
  )
}

function Deck({ session, deck }: { session: SessionDetail; deck: Deck }) {
  const { query } = useLocation()
  const wanted = Number(query['slide'] ?? 1) - 1
  const current = deck.slides[wanted] ?? deck.slides[0]
  if (current === undefined) return null
  return (
    <>
      <p class="muted small">
        {plural(deck.slides.length, 'slide')}. What the presenter says of them is the{' '}
        <a href={`/dashboard/sessions/${session.id}/script?slide=${current.index + 1}`}>script</a>.
      </p>
      <ReadNotes sessionId={session.id} deck={deck} />
      {deck.warnings
        .filter(({ slideIndex }) => slideIndex === undefined)
        .map(({ detail, fix, lines, isUsual }) =>
          isUsual && lines !== undefined ? (
            <SetApart key={detail} sessionId={session.id} lines={lines}>
              <p class="muted small">Neither said nor answered from. Put back what belongs to the talk.</p>
            </SetApart>
          ) : (
            <div key={detail} class="note note-amber">
              <p>
                {detail} {fix}
              </p>
              {lines !== undefined && <SetApart sessionId={session.id} lines={lines} />}
            </div>
          ),
        )}
      <div class="deck">
        <SlideList
          sessionId={session.id}
          slides={deck.slides}
          current={current.index}
          warned={new Set(deck.warnings.map(({ slideIndex }) => slideIndex))}
        />
        <SlideEditor
          key={current.id}
          sessionId={session.id}
          slide={current}
          count={deck.slides.length}
          warnings={deck.warnings.filter(({ slideIndex }) => slideIndex === current.index)}
        />
      </div>
    </>
  )
}

/** Lines that were taken for headers and footers, each to be put back where it was none. */
function SetApart({ sessionId, lines, children }: { sessionId: string; lines: readonly string[]; children?: ComponentChildren }) {
  const [isBusy, run] = useBusy()
  const back = (some: readonly string[]) => void run(putBack(sessionId, some))
  return (
    <details class="set-apart" data-testid="set-apart">
      <summary>{plural(lines.length, 'line')} set apart as headers and footers</summary>
      {children}
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <span>{line}</span>
            <Button dense busy={isBusy} aria-label={`Put back: ${line}`} onClick={() => back([line])}>
              Put back
            </Button>
          </li>
        ))}
      </ul>
      {lines.length > 1 && (
        <Button dense busy={isBusy} onClick={() => back(lines)}>
          Put all back
        </Button>
      )}
    </details>
  )
}

function NoDeck({ onReplace }: { onReplace: () => void }) {
  return (
    <div class="empty">
      <h2>No slides yet</h2>
      <p>Upload a PDF, a PPTX, Markdown or images. The presenter writes a script from them that you can read and change.</p>
      <Button kind="primary" onClick={onReplace}>
        Add slides
      </Button>
    </div>
  )
}
