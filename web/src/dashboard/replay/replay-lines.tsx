// The transcript of one run: every line with its time, to search, to narrow to a slide and to play from.
import { useEffect, useRef, useState } from 'preact/hooks'
import { timecode } from '../parts/format.ts'
import { Marked, placeOf } from '../parts/marked.tsx'
import { SearchField } from '../parts/search-field.tsx'
import type { TranscriptEntry } from './transcript-wire.ts'

export interface ReplayLinesProps {
  entries: readonly TranscriptEntry[]
  slidesCount: number
  /** The line that is being said. */
  currentSeq: number | undefined
  onPlayFrom: (ms: number) => void
}

export function ReplayLines({ entries, slidesCount, currentSeq, onPlayFrom }: ReplayLinesProps) {
  const [at, setAt] = useState<number>()
  const [search, setSearch] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const said = entries.filter(({ type }) => type !== 'state' && type !== 'slide')
  const shown = said.flatMap((entry) => {
    const place = placeOf(entry.text, search)
    return place !== null && (at === undefined || entry.slideIndex === at) ? [{ entry, place }] : []
  })
  // Also at first: a link may lead into the middle of the talk.
  useEffect(() => follow(list.current), [currentSeq])
  return (
    <section class="replay-side" aria-labelledby="transcript">
      <h2 id="transcript">Transcript</h2>
      <div class="list-bar">
        <label class="goto">
          <span>Slide</span>
          <select
            class="input"
            value={at === undefined ? '' : String(at)}
            onChange={(event) => setAt(event.currentTarget.value === '' ? undefined : Number(event.currentTarget.value))}
          >
            <option value="">All slides</option>
            {Array.from({ length: slidesCount }, (_, index) => (
              <option key={index} value={String(index)} selected={index === at}>
                {`Slide ${index + 1}`}
              </option>
            ))}
          </select>
        </label>
        <SearchField label="Search the transcript" value={search} onChange={setSearch} keys="/" />
      </div>
      {shown.length === 0 && <p class="muted empty">{said.length === 0 ? 'Nothing was said in this run.' : 'No line matches.'}</p>}
      <div class="replay-lines" ref={list} role="region" aria-label="Lines" tabIndex={0}>
        <ol class="transcript">
          {shown.map(({ entry, place }) => (
            <li
              key={entry.seq}
              class={`line line-${entry.type}`}
              data-testid="line"
              data-seq={entry.seq}
              aria-current={entry.seq === currentSeq ? 'true' : undefined}
            >
              <button
                type="button"
                class="line-time small"
                aria-label={`Play from ${timecode(entry.offsetMs)}`}
                onClick={() => onPlayFrom(entry.offsetMs)}
              >
                {timecode(entry.offsetMs)}
              </button>
              <span class="line-speaker small muted">
                <bdi>{entry.speaker}</bdi>
                {entry.private === true && ', in writing to the asker'}
              </span>
              <span class="line-text">
                <bdi>
                  <Marked text={entry.text} {...place} />
                </bdi>
              </span>
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}

/** Keeps the current line in sight of its own scrolled box; the page is never moved. */
function follow(box: HTMLElement | null): void {
  const line = box?.querySelector<HTMLElement>('[aria-current]')
  if (box === null || !(line instanceof HTMLElement) || box.scrollHeight <= box.clientHeight) return
  const top = line.getBoundingClientRect().top - box.getBoundingClientRect().top
  if (top < 0 || top > box.clientHeight * 0.7) box.scrollTop += top - box.clientHeight * 0.3
}
