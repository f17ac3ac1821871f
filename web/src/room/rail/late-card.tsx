// For who comes late to a broadcast: how much there was, how long it takes to read, and one line per slide. No audio is replayed.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { useRoom } from '../use-room.ts'
import { inFollowed } from '../view.ts'
import { wear } from '../later.tsx'
import style from './late-card.css?inline'

wear(style)

const charsPerSecond = 15

/** Beside its title: "On to the costs." does not. */
const saysMore = ({ title, line }: { title: string; line: string }) => line.replace(title, '').trim().length > 20

export function LateCard() {
  const { t, view, controller } = useRoom()
  const [open, setOpen] = useState(false)
  const { recap } = view.room
  const seconds = Math.max(
    5,
    Math.round(recap.reduce((sum, entry) => sum + entry.title.length + entry.line.length, 0) / charsPerSecond / 5) * 5,
  )
  return (
    <aside class="late" data-testid="recap">
      <div class="late-head">
        <p>
          <b>{t('late.title', { n: recap.length })}</b> <span class="muted small">{t('late.time', { n: seconds })}</span>
        </p>
        <div class="actions">
          {!open && (
            <Button dense onClick={() => setOpen(true)}>
              {t('late.open')}
            </Button>
          )}
          <Button dense kind="quiet" onClick={() => controller?.closeLate()}>
            {t('late.close')}
          </Button>
        </div>
      </div>
      {open && (
        <ol class="covered">
          {recap.map((entry) => (
            <li key={entry.slideIndex}>
              <b>
                <bdi>{inFollowed(view, entry.title)}</bdi>
              </b>
              {saysMore(entry) && (
                <p class="muted" dir="auto">
                  {inFollowed(view, entry.line)}
                </p>
              )}
            </li>
          ))}
        </ol>
      )}
    </aside>
  )
}
