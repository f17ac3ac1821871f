// The transcript: one `role=log`, always in the page, one finished sentence a line. With sound it is not live, or two voices would collide.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import type { Line } from '../stream/state.ts'
import { useRoom } from '../use-room.ts'
import { inFollowed } from '../view.ts'
import { Asker } from './question-card.tsx'

const nearEndPx = 48

export function Transcript({ open }: { open: boolean }) {
  const { boot, t, view } = useRoom()
  const { lines, slides } = view.room
  const finished = lines.filter((line) => line.finished)
  const end = useRef<HTMLDivElement>(null)
  const [behind, setBehind] = useState(false)
  const isAtEnd = () => {
    const panel = end.current?.closest('.panel')
    return panel === null || panel === undefined || panel.scrollHeight - panel.scrollTop - panel.clientHeight < nearEndPx
  }
  const follow = () => {
    const panel = end.current?.closest('.panel')
    if (panel) panel.scrollTop = panel.scrollHeight
    setBehind(false)
  }
  useEffect(() => {
    if (!open || finished.length === 0) return
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) setBehind(!isAtEnd())
    else if (isAtEnd() || !behind) follow()
  }, [open, finished.length])
  const live = view.choices.readOut ?? !view.sound
  return (
    <>
      <div
        class={open ? 'transcript' : 'transcript vh'}
        role="log"
        aria-label={t('rail.transcript')}
        aria-live={live ? 'polite' : 'off'}
        lang={boot.room.language}
      >
        {finished.map((line, index) => (
          <TranscriptLine key={line.id} line={line} before={finished[index - 1]} title={slides[line.slideIndex]?.title ?? null} />
        ))}
      </div>
      <div ref={end} />
      {open && behind && (
        <div class="new-lines">
          <Button dense onClick={follow}>
            {t('rail.new_lines')}
          </Button>
        </div>
      )}
    </>
  )
}

function TranscriptLine({ line, before, title }: { line: Line; before: Line | undefined; title: string | null }) {
  const { t, view } = useRoom()
  const { room } = view
  const newSlide = line.kind === 'beat' && (before === undefined || before.slideIndex !== line.slideIndex)
  const asked =
    line.kind === 'answer' && before?.questionId !== line.questionId
      ? room.questions.find((question) => question.questionId === line.questionId)
      : undefined
  return (
    <>
      {newSlide && (
        <p class="line-slide small">
          {t('slide.name', { slide: line.slideIndex + 1 })}
          {title && <bdi> {inFollowed(view, title)}</bdi>}
        </p>
      )}
      {line.kind === 'host' && before?.kind !== 'host' && <p class="line-slide small">{t('answer.human')}</p>}
      {asked && (
        <p class="line-asked" dir="auto">
          <Asker question={asked} /> {asked.text}
        </p>
      )}
      <p class={`line line-${line.kind}`} data-testid="line" data-beat={line.id} dir="auto">
        {inFollowed(view, line.text)}
      </p>
    </>
  )
}
