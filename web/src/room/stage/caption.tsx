// The live caption: at most two lines, replaced in place as the sentence goes on. Not live for screen readers; the transcript is.
import { useMemo } from 'preact/hooks'
import { useRoom, useSpoken } from '../use-room.ts'
import { inFollowed } from '../view.ts'
import { type CaptionChunk, captionChunks, chunkAt } from '@rostrum/contract/captions'

export function Caption() {
  const { boot, t, view } = useRoom()
  const { choices } = view
  const spoken = useSpoken((now) => now)
  const said = spoken?.text ?? ''
  const shown = inFollowed(view, said)
  const chunks = useMemo(() => captionChunks(shown), [shown])
  if (!choices.captions) return null
  // Between languages a place in a sentence is its share of it.
  const chars =
    spoken === null || shown === said ? (spoken?.chars ?? 0) : Math.floor((spoken.chars / Math.max(1, said.length)) * shown.length)
  const chunk = spoken === null ? undefined : chunkAt(chunks, chars)
  return (
    <p
      class={`caption caption-${choices.captionSize}`}
      data-testid="caption"
      role="group"
      aria-label={t('caption.label')}
      lang={shown === said ? boot.room.language : (choices.follow ?? undefined)}
      dir="auto"
    >
      {spoken?.text === '' && t('status.handed_over')}
      {chunk && (
        // Each is an element of its own: nothing is moved, one goes and one comes.
        <span key={`${spoken?.id} ${chunk.start}`} class="caption-words">
          <Words chunk={chunk} word={shown === said ? spoken?.word : undefined} />
        </span>
      )}
    </p>
  )
}

/** The word that is being said is lit, where the voice tells. */
function Words({ chunk, word }: { chunk: CaptionChunk; word: readonly [number, number] | undefined }) {
  const { start, text } = chunk
  const [from, to] = word === undefined ? [0, 0] : [word[0] - start, word[1] - start]
  if (from < 0 || to <= from || from >= text.length) return <>{text}</>
  return (
    <>
      {text.slice(0, from)}
      <span class="word">{text.slice(from, to)}</span>
      {text.slice(to)}
    </>
  )
}
