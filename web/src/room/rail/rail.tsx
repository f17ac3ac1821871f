// The right side of the room: questions or transcript, and the composer that stays in reach.
import { X } from 'lucide'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TabSwitch } from '../../ui/tabs.tsx'
import type { Question } from '../stream/state.ts'
import { useRoom } from '../use-room.ts'
import { isOver } from '../view.ts'
import { Composer } from './composer.tsx'
import { PendingCard, QuestionCard } from './question-card.tsx'
import { Transcript } from './transcript.tsx'

export function Rail({ isOpen }: { isOpen: boolean }) {
  const { t, view, controller } = useRoom()
  const open = view.room.questions.filter((question) => question.status !== 'hidden').length
  const { panel } = view.choices
  return (
    <section class="rail" id="rail" aria-label={t('rail.switch')} tabIndex={-1} inert={view.phase === 'joining'}>
      <div class="rail-head">
        <TabSwitch
          label={t('rail.switch')}
          tabs={[
            { id: 'questions', label: t('rail.questions'), count: open === 0 ? undefined : open },
            { id: 'transcript', label: t('rail.transcript') },
          ]}
          current={panel}
          onChange={(id) => {
            controller?.choose({ panel: id === 'transcript' ? 'transcript' : 'questions' })
            controller?.showRail(true)
          }}
          panelId="panel"
        />
        <Button kind="quiet" class="rail-close" aria-label={t('rail.hide')} onClick={() => controller?.showRail(false)}>
          <Icon of={X} />
        </Button>
      </div>
      <div
        class="panel"
        id="panel"
        role="tabpanel"
        aria-label={panel === 'questions' ? t('rail.questions') : t('rail.transcript')}
        // Beside the stage it scrolls, also where nothing in it takes the focus.
        tabIndex={isOpen && (panel === 'transcript' || open === 0) ? 0 : undefined}
      >
        {panel === 'questions' && <Questions />}
        <Transcript open={panel === 'transcript'} />
      </div>
      {!isOver(view) && <Composer />}
    </section>
  )
}

const rank: Readonly<Record<string, number>> = { answering: 0, queued: 1, pending: 2 }

/** What is being answered, what waits, and the last answer; the rest under "Earlier". */
function arrange(questions: readonly Question[]): { now: readonly Question[]; earlier: readonly Question[] } {
  const visible = questions.filter((question) => question.status !== 'hidden' || question.mine)
  const open = visible
    .filter((question) => rank[question.status] !== undefined)
    .toSorted((a, b) => (rank[a.status] ?? 9) - (rank[b.status] ?? 9))
  const done = visible.filter((question) => rank[question.status] === undefined).toReversed()
  return { now: [...open, ...done.slice(0, 1)], earlier: done.slice(1) }
}

function Questions() {
  const { t, view } = useRoom()
  const [opened, setOpened] = useState(false)
  const known = new Set(view.room.questions.map((question) => question.questionId))
  const pending = view.entries.filter((entry) => entry.kind === 'questions' && !known.has(entry.id))
  const { now, earlier } = arrange(view.room.questions)
  if (now.length === 0 && pending.length === 0) return <p class="rail-empty muted">{t('rail.empty')}</p>
  return (
    <>
      <ul class="questions">
        {pending.map((entry) => (
          <PendingCard key={entry.id} entry={entry} />
        ))}
        {now.map((question) => (
          <QuestionCard key={question.questionId} question={question} />
        ))}
      </ul>
      {earlier.length > 0 && (
        <details class="earlier" open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
          <summary>{t('rail.earlier', { n: earlier.length })}</summary>
          {opened && (
            <ul class="questions">
              {earlier.map((question) => (
                <QuestionCard key={question.questionId} question={question} />
              ))}
            </ul>
          )}
        </details>
      )}
    </>
  )
}
