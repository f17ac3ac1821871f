// One session in full: its state, its slides as a thread, and the ways into its rooms.
import type { Bridge } from './bridge.ts'
import type { Session } from './parts.tsx'
import { Copy, Link, Status, day } from './parts.tsx'

const deckWords: Readonly<Record<string, string>> = {
  pending: 'The deck is waiting to be read.',
  processing: 'The deck is being read.',
  failed: 'The deck could not be read. Send another one.',
}

export function SessionCard({ bridge, session }: { bridge: Bridge; session: Session }) {
  const { status, description, roomUrl, rehearsalUrl, deckState = '', slides = [], cta, slidesCount = slides.length } = session
  const made = day(bridge, session.createdAt)
  return (
    <>
      <p class="facts">
        <Status status={status} /> {slidesCount > 0 && <span>{slidesCount === 1 ? '1 slide' : `${slidesCount} slides`}</span>}
        {made !== '' && <span>{made}</span>}
      </p>
      {description !== undefined && <p>{description}</p>}
      {deckWords[deckState] !== undefined && <p class="note">{deckWords[deckState]}</p>}
      <div class="row">
        <Link bridge={bridge} url={roomUrl} label="Open room" isMain={status === 'published'} />
        <Link bridge={bridge} url={rehearsalUrl} label="Open rehearsal" isMain={status !== 'published'} />
        {roomUrl !== undefined && <Copy label="Copy link" text={roomUrl} name="Link of the room" />}
      </div>
      {slides.length > 0 && (
        <ol class="thread" aria-label="Slides">
          {slides.map(({ index, title, imageUrl }) => (
            <li key={index}>
              {imageUrl !== undefined && <img src={imageUrl} alt="" loading="lazy" />}
              <span>{`${index + 1}. ${title === '' ? 'Slide' : title}`}</span>
            </li>
          ))}
        </ol>
      )}
      {cta?.text !== undefined && (
        <p class="facts">
          <span>Call to action: {cta.text}</span>
        </p>
      )}
    </>
  )
}
