// The deck and what the presenter says: pick a slide, change its text, its private notes and each sentence; reorder; replace.
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { DeckStatus } from '../deck-status.tsx'
import { duration, plural } from '../format.ts'
import { Loaded } from '../loaded.tsx'
import { deckQuery, scriptQuery } from '../queries.ts'
import { SessionFrame } from '../session-frame.tsx'
import { useQuery } from '../use-query.ts'
import type { Beat, Deck, SessionDetail, Writing } from '../wire.ts'
import { ReplaceDeck } from './replace-deck.tsx'
import { ReadNotes } from './read-notes.tsx'
import { SlideEditor } from './slide-editor.tsx'
import { SlideList } from './slide-list.tsx'
import { WriteScript } from './write-script.tsx'

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
  const script = useQuery(scriptQuery(session.id))
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
            <Deck session={session} deck={deck} beats={script.data?.beats} writing={script.data?.writing} />
          </>
        )
      }
    </Loaded>
  )
}

interface DeckProps {
  session: SessionDetail
  deck: Deck
  beats: readonly Beat[] | undefined
  writing: Writing | undefined
}

/** Of the slides on the screen, as the screen counts them: the script counts those that are deleted in a moment too. */
function beatsShown({ slides }: Deck, beats: readonly Beat[]): Beat[] {
  const shown = new Map<string | null, number>(slides.map(({ id, index }) => [id, index]))
  return beats.flatMap((beat) => {
    const slideIndex = shown.get(beat.slideId)
    const sources = beat.sources.map((source) => ({ ...source, index: shown.get(source.id) ?? source.index }))
    return slideIndex === undefined ? [] : [{ ...beat, slideIndex, sources }]
  })
}

function Deck({ session, deck, beats: compiled, writing }: DeckProps) {
  const { query } = useLocation()
  const wanted = Number(query['slide'] ?? 1) - 1
  const current = deck.slides[wanted] ?? deck.slides[0]
  if (current === undefined) return null
  const beats = compiled && beatsShown(deck, compiled)
  const own = beats?.filter(({ slideIndex }) => slideIndex === current.index)
  const spoken = (beats ?? []).reduce((sum, { estMs }) => sum + estMs, 0) / 1000
  return (
    <>
      <p class="muted small">
        {plural(deck.slides.length, 'slide')}
        {beats !== undefined && beats.length > 0 && `, ${plural(beats.length, 'sentence')}, about ${duration(spoken)} when spoken`}
      </p>
      <ReadNotes sessionId={session.id} deck={deck} />
      {beats !== undefined && writing !== undefined && <WriteScript sessionId={session.id} beats={beats} writing={writing} />}
      {deck.warnings
        .filter(({ slideIndex }) => slideIndex === undefined)
        .map(({ code, detail, fix }) => (
          <p key={code} class="note note-amber">
            {detail} {fix}
          </p>
        ))}
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
          language={session.language}
          slide={current}
          count={deck.slides.length}
          warnings={deck.warnings.filter(({ slideIndex }) => slideIndex === current.index)}
          beats={own}
        />
      </div>
    </>
  )
}

function NoDeck({ onReplace }: { onReplace: () => void }) {
  return (
    <div class="empty">
      <h2>No slides yet</h2>
      <p>Upload a PDF, a PPTX, Markdown or images. The presenter writes a script from them that you can read and change here.</p>
      <Button kind="primary" onClick={onReplace}>
        Add slides
      </Button>
    </div>
  )
}
