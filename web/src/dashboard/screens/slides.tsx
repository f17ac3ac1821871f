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
import type { Beat, Deck, SessionDetail } from '../wire.ts'
import { ReplaceDeck } from './replace-deck.tsx'
import { SlideEditor } from './slide-editor.tsx'
import { SlideList } from './slide-list.tsx'

export function Slides({ id }: { id: string }) {
  const [isReplacing, setReplacing] = useState(false)
  return (
    <SessionFrame id={id} tab="Slides" actions={() => <Button onClick={() => setReplacing(true)}>Replace deck</Button>}>
      {(session) => (
        <>
          <DeckScreen session={session} onReplace={() => setReplacing(true)} />
          {isReplacing && <ReplaceDeck id={id} onClose={() => setReplacing(false)} />}
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
            {deck.state !== 'none' && <DeckStatus session={session} deck={deck} />}
            {(deck.state === 'ready' || deck.state === 'none') && <NoDeck onReplace={onReplace} />}
          </>
        ) : (
          <>
            {deck.state !== 'ready' && <DeckStatus session={session} deck={deck} />}
            <Deck session={session} deck={deck} beats={script.data} />
          </>
        )
      }
    </Loaded>
  )
}

function Deck({ session, deck, beats }: { session: SessionDetail; deck: Deck; beats: readonly Beat[] | undefined }) {
  const { query } = useLocation()
  const wanted = Number(query['slide'] ?? 1) - 1
  const current = deck.slides[wanted] ?? deck.slides[0]
  if (current === undefined) return null
  const own = beats?.filter(({ slideIndex }) => slideIndex === current.index)
  const spoken = (beats ?? []).reduce((sum, { estMs }) => sum + estMs, 0) / 1000
  return (
    <>
      <p class="muted small">
        {plural(deck.slides.length, 'slide')}
        {beats !== undefined && beats.length > 0 && `, ${plural(beats.length, 'sentence')}, about ${duration(spoken)} when spoken`}
      </p>
      <div class="deck">
        <SlideList sessionId={session.id} slides={deck.slides} current={current.index} />
        <SlideEditor
          key={`${current.id} ${deck.version}`}
          sessionId={session.id}
          slide={current}
          count={deck.slides.length}
          warning={deck.warnings.find(({ index }) => index === current.index)?.detail}
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
      <p>Upload a PDF, a PPTX or images. The presenter writes a script from them that you can read and change here.</p>
      <Button kind="primary" onClick={onReplace}>
        Add slides
      </Button>
    </div>
  )
}
