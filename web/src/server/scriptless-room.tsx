// The room without script: every slide's picture and text in order, and the link of the offer.
import type { T } from '../room/stream/boot.ts'
import { safeLink } from '../room/rail/offer.tsx'
import type { RoomView } from './types.ts'

export function ScriptlessRoom({ room, t }: { room: RoomView; t: T }) {
  const link = safeLink(room.cta)
  return (
    <noscript>
      <div class="scriptless">
        <p class="note">{t('door.no_script')}</p>
        <ol class="scriptless-slides">
          {room.slides.map((slide) => (
            <li key={slide.id}>
              <h2>
                <bdi>{slide.title || t('slide.name', { slide: slide.index + 1 })}</bdi>
              </h2>
              {slide.imageUrl !== null && slide.index > 0 && (
                <img src={slide.imageUrl} alt="" width={slide.width ?? 1600} height={slide.height ?? 900} loading="lazy" />
              )}
              <p class="scriptless-text" dir="auto">
                {slide.text}
              </p>
            </li>
          ))}
        </ol>
        {link !== null && (
          <p>
            <a href={link.href} rel="noopener noreferrer">
              <bdi>{room.cta?.text || link.host}</bdi>
            </a>{' '}
            <span class="small muted">{t(link.leads, { host: link.host })}</span>
          </p>
        )}
      </div>
    </noscript>
  )
}
