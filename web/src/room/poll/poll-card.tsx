// What the talk asks its room: the question with what may be answered, then what came of it. Fetched when the first poll opens.
import { X } from 'lucide'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { webClock } from '../../ui/clock.ts'
import { Icon } from '../../ui/icon.tsx'
import { PollResults } from '../../ui/poll-results.tsx'
import bars from '../../ui/poll.css?inline'
import { wear } from '../later.tsx'
import type { PollAnswer, PollSoFar } from '../stream/wire.ts'
import { useRoom } from '../use-room.ts'
import { inFollowed, isOver } from '../view.ts'
import style from './poll-card.css?inline'

wear(bars)
wear(style)

/** The one that is open; else the last, as long as the talk is where it was asked. */
export function PollCard() {
  const { t, view } = useRoom()
  const { polls, slideIndex } = view.room
  const [hidden, setHidden] = useState('')
  const last = polls.at(-1)
  const poll = polls.find(({ open }) => open) ?? (last?.slideIndex === slideIndex ? last : undefined)
  if (poll === undefined || isOver(view) || (hidden === poll.pollId && !poll.open)) return null
  return (
    <section class="poll" aria-label={t(poll.quiz ? 'poll.quiz' : 'poll.label')} data-testid="poll" data-open={poll.open ? '' : undefined}>
      {!poll.open && (
        <Button kind="quiet" dense class="poll-hide" aria-label={t('poll.hide')} onClick={() => setHidden(poll.pollId)}>
          <Icon of={X} />
        </Button>
      )}
      {poll.open && !poll.shown ? <Ask key={poll.pollId} poll={poll} /> : <Told poll={poll} />}
    </section>
  )
}

function Ask({ poll }: { poll: PollSoFar }) {
  const { t, view, controller } = useRoom()
  const { pollId, kind, question, options } = poll
  const own = view.room.answered[pollId]
  const [wanted, setWanted] = useState<PollAnswer>(own ?? {})
  const form = useRef<HTMLFormElement>(null)
  const name = useId()
  const refused = view.entries.findLast((entry) => entry.kind === 'polls' && entry.body['pollId'] === pollId)
  const picks =
    kind === 'choice' ? options.map((_, at) => ({ choice: at })) : kind === 'rating' ? [1, 2, 3, 4, 5].map((rating) => ({ rating })) : []
  // The number of an answer takes it, from wherever nothing is typed; sending is a press of its own.
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !controller?.view().choices.singleKeys) return
      if (event.target instanceof Element && event.target.matches('textarea, select, [contenteditable], input:not([type=radio])')) return
      const input = form.current?.querySelectorAll<HTMLInputElement>('input[type=radio]')[Number(event.key) - 1]
      if (input === undefined || !/^[1-8]$/.test(event.key)) return
      event.preventDefault()
      input.click()
      input.focus()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [controller])
  const isSame = (one: PollAnswer, other: PollAnswer | undefined) =>
    one.choice === other?.choice && one.rating === other?.rating && one.word === other?.word
  const isEmpty = Object.keys(wanted).length === 0 || wanted.word?.trim() === ''
  const isSent = own !== undefined && isSame(wanted, own) && refused?.status !== 'refused'
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        if (isEmpty || isSent) return
        for (const entry of view.entries) if (entry.kind === 'polls' && entry.status === 'refused') controller?.discard(entry.id)
        controller?.answerPoll(pollId, wanted)
      }}
    >
      <fieldset class={kind === 'rating' ? 'poll-picks poll-scale' : 'poll-picks'}>
        <legend dir="auto">{inFollowed(view, question)}</legend>
        {kind === 'words' ? (
          <input
            class="input"
            type="text"
            dir="auto"
            maxLength={30}
            autocomplete="off"
            aria-label={t('poll.word')}
            placeholder={t('poll.word')}
            value={wanted.word ?? ''}
            onInput={(event) => setWanted({ word: event.currentTarget.value })}
          />
        ) : (
          picks.map((pick, at) => (
            <label key={at} class="poll-pick">
              <input type="radio" name={name} checked={isSame(wanted, pick)} onChange={() => setWanted(pick)} />
              <bdi>{kind === 'choice' ? inFollowed(view, options[at] ?? '') : at + 1}</bdi>
            </label>
          ))
        )}
      </fieldset>
      <div class="poll-foot">
        <Button kind="primary" type="submit" idle={isEmpty || isSent}>
          {own === undefined ? t('poll.send') : t('poll.change')}
        </Button>
        {controller?.isolated && own === undefined && (
          <Button kind="quiet" onClick={() => controller.answerPoll(pollId, null)}>
            {t('poll.skip')}
          </Button>
        )}
        <p class="small muted tabular poll-count">
          <Left until={poll.until} />
          {view.room.tally?.pollId === pollId && controller?.isolated === false && t('poll.answers', { n: view.room.tally.answers })}
        </p>
      </div>
      <p class="small" role="status">
        {refused?.status === 'refused' ? refused.detail : isSent && controller?.isolated === false ? t('poll.sent') : ''}
      </p>
    </form>
  )
}

/** Told for the eye: who listens hears the presenter go on. */
function Left({ until }: { until: number | undefined }) {
  const { t } = useRoom()
  const [now, setNow] = useState(webClock.now())
  useEffect(() => (until === undefined ? undefined : webClock.after(1_000, () => setNow(webClock.now()))), [until, now])
  const seconds = until === undefined ? 0 : Math.ceil((until - now) / 1_000)
  return seconds > 0 ? <span aria-hidden="true">{t('poll.left', { n: seconds })} · </span> : null
}

function Told({ poll }: { poll: PollSoFar }) {
  const { t, view, controller } = useRoom()
  const { pollId, kind, question, options, right, shown } = poll
  const own = view.room.answered[pollId]
  const place = own?.choice ?? (own?.rating === undefined ? undefined : own.rating - 1)
  const tally = view.room.tally?.pollId === pollId ? view.room.tally : undefined
  const results = shown && poll.open && tally ? { ...poll.results, ...tally } : poll.results
  const verdict = !shown
    ? t('poll.closed')
    : right === undefined
      ? controller?.isolated && own
        ? t('poll.thanks')
        : ''
      : own === undefined
        ? `${t('poll.right')}: ${inFollowed(view, options[right] ?? '')}`
        : t(place === right ? 'poll.was_right' : 'poll.was_wrong')
  // Of one attendee there are no shares to show.
  const hasBars = results !== undefined && controller?.isolated !== true
  return (
    <>
      <p class="poll-question" dir="auto">
        {inFollowed(view, question)}
      </p>
      {verdict !== '' && (
        <p role="status" class={right !== undefined && place === right ? 'poll-verdict poll-was-right' : 'poll-verdict'}>
          {verdict}
        </p>
      )}
      {controller?.isolated && right !== undefined && own !== undefined && place !== right && (
        <p>{`${t('poll.right')}: ${inFollowed(view, options[right] ?? '')}`}</p>
      )}
      {hasBars && (
        <PollResults
          poll={{ kind, options: options.map((option) => inFollowed(view, option)), ...(results && { results }), right }}
          own={place}
          words={{ right: t('poll.right'), yours: t('poll.yours') }}
        />
      )}
      {shown && controller?.isolated === false && results && <p class="small muted">{t('poll.answers', { n: results.answers })}</p>}
    </>
  )
}
