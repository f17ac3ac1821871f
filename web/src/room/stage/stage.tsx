// The stage: slide with its caption, thread, who speaks and, in an isolated run, the controls of the talk.
import { ChevronLeft, ChevronRight, Heart, Lightbulb, MessageSquare, TextAlignStart, ThumbsUp } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { webClock } from '../../ui/clock.ts'
import { Icon } from '../../ui/icon.tsx'
import { growthSteps, Thread } from '../../ui/thread.tsx'
import { later } from '../later.tsx'
import { Offer } from '../rail/offer.tsx'
import { useRoom, useSpoken } from '../use-room.ts'
import { isOver, shownSlide, type View } from '../view.ts'
import { Caption } from './caption.tsx'
import { enlargeable } from './enlarge.ts'
import { type Lit, litNow } from './lit.ts'
import { PresenterCard } from './presenter-card.tsx'
import { isLow, SlideView } from './slide-view.tsx'

const ReviewPill = later(() => import('../rail/review-pill.tsx').then((found) => found.ReviewPill))
const PollCard = later(() => import('../poll/poll-card.tsx').then((found) => found.PollCard))
const LateCard = later(() => import('../rail/late-card.tsx').then((found) => found.LateCard))

const paces = [0.75, 1, 1.25, 1.5, 2]

export function Stage() {
  const { t, view, controller } = useRoom()
  return (
    <section class="stage" aria-label={t('slide.stage')}>
      <div class="screen">
        <ShownSlide>
          <Caption />
        </ShownSlide>
        <ThreadRow>
          <SlideWords isBrief />
        </ThreadRow>
        <PresenterCard />
      </div>
      {view.late && <LateCard />}
      <PollCard wanted={view.room.polls.length > 0} />
      <ReviewPill wanted={view.review !== null && view.review + 1}>
        {controller?.isolated ? !isOver(view) && <Controls /> : <OfOneOfMany />}
      </ReviewPill>
      <Offer />
      {/* In the theatre, and on a telephone on its side, everything but slide and caption is behind it. */}
      <Button class="rail-open" aria-controls="rail" onClick={() => controller?.showRail(true)}>
        <Icon of={MessageSquare} />
        <span class="vh">{t('rail.questions')}</span>
      </Button>
    </section>
  )
}

export function ShownSlide({ children }: { children?: ComponentChildren }) {
  const { boot, t, view } = useRoom()
  const { slides } = view.room
  const index = shownSlide(view)
  const now = litNow(view.room.said, view.spokenId)
  const slide = slides[index]
  const next = slides[index + 1]
  useEffect(() => {
    if (next?.imageUrl) new Image().src = next.imageUrl
  }, [next?.imageUrl])
  const place = useRef<HTMLDivElement>(null)
  // What was made larger was of the slide before.
  useEffect(() => (place.current === null ? undefined : enlargeable(place.current)), [slide?.id])
  if (slide === undefined) return null
  const name = t('slide.name', { slide: index + 1 })
  const frame = isLow(slide) ? 'slide-frame frame-low' : 'slide-frame'
  const cites = view.review === null && now?.answerId !== undefined && now.lit.slideIndex !== index ? now.lit : null
  return (
    // Another one where captions have another place: nothing is moved, one goes and one comes.
    <div key={frame} class={frame}>
      {/* Told by an attribute: a style that looks into the place has all of the page calculated anew with each element that comes. */}
      <div class="slide-place" ref={place} data-cites={cites === null ? undefined : ''}>
        <SlideView
          key={slide.id}
          slide={slide}
          count={slides.length}
          name={name}
          eager={index === 0}
          language={boot.room.language}
          lit={now?.lit.slideIndex === index ? now.lit : undefined}
          isQuote={now?.answerId !== undefined}
        />
        <Cited now={cites} />
      </div>
      {children}
    </div>
  )
}

/** Of a picture: what it says, for whoever cannot see it, or wants to copy it. */
export function SlideWords({ isBrief }: { isBrief?: boolean }) {
  const { t, view } = useRoom()
  const { imageUrl, text } = view.room.slides[shownSlide(view)] ?? {}
  if (!imageUrl || !text) return null
  return (
    <details class="slide-words">
      <summary>
        {isBrief && <Icon of={TextAlignStart} />}
        <span class={isBrief ? 'vh' : undefined}>{t('slide.text')}</span>
      </summary>
      {/* Signs of a heading or a bullet are how text is kept, not what stands on the slide. */}
      <p dir="auto">{text.replace(/^#+ /gm, '').replace(/^( *)[-*] /gm, '$1• ')}</p>
    </details>
  )
}

/** While an answer quotes another slide, that one comes in at half size; what it says is in the answer, so it is a picture alone. */
function Cited({ now }: { now: Lit | null }) {
  const { boot, t, view } = useRoom()
  const last = useRef(now)
  if (now !== null) last.current = now
  const { current: lit } = last
  const { slides } = view.room
  const slide = lit === null ? undefined : slides[lit.slideIndex]
  if (lit === null || slide === undefined) return null
  const name = t('slide.name', { slide: slide.index + 1 })
  return (
    <div class="cited" data-testid="cited" data-index={slide.index + 1} data-gone={now === null ? '' : undefined} aria-hidden="true" inert>
      <SlideView
        key={slide.id}
        slide={slide}
        count={slides.length}
        name={name}
        eager={false}
        language={boot.room.language}
        lit={lit}
        isQuote
        isAside
      />
      <p>{name}</p>
    </div>
  )
}

function threadLabel(view: View, t: ReturnType<typeof useRoom>['t']): string {
  const { slides, slideIndex, questions } = view.room
  const place = t('thread.label', { slide: slideIndex + 1, count: slides.length })
  return questions.length === 0 ? place : `${place}, ${t('thread.questions', { n: questions.length })}`
}

export function ThreadRow({ children }: { children?: ComponentChildren }) {
  const { t, view, controller } = useRoom()
  const { room } = view
  const said = useSpoken((spoken) => Math.ceil((growthSteps * (spoken?.chars ?? 0)) / (spoken?.text.length || 1)) / growthSteps)
  const begun = room.status !== 'lobby'
  const inSentence = view.spokenId === room.beatId ? said : 0
  return (
    <div class="thread-row">
      <Thread
        count={room.slides.length}
        current={!begun ? -1 : room.status === 'completed' ? room.slides.length : room.slideIndex}
        progress={1 - 0.68 ** (room.beatsOnSlide + inSentence)}
        ticks={room.questions.flatMap((question) => (typeof question.slideIndex === 'number' ? [question.slideIndex] : []))}
        shown={view.review ?? undefined}
        label={threadLabel(view, t)}
        {...(controller && view.phase === 'in' ? { onPick: (index: number) => controller.review(index) } : {})}
      />
      <p class="thread-place" aria-hidden="true">
        {t('thread.of', { slide: room.slideIndex + 1, count: room.slides.length })}
      </p>
      {children}
    </div>
  )
}

function Controls() {
  const { t, view, controller } = useRoom()
  const { room } = view
  const paused = room.status === 'paused'
  // Finishing is possible once the last sentence was said and the window for questions is open.
  const closing = room.status === 'closing' && room.windowUntil !== null
  const isLast = room.slideIndex >= room.slides.length - 1
  return (
    // While the host speaks there is nothing to pause; the place stays, so that nothing jumps.
    <div class="controls" role="group" aria-label={t('control.group')} data-away={room.status === 'handed_over' ? '' : undefined}>
      <Button onClick={() => (paused ? controller?.control('resume') : controller?.pause())}>
        {paused ? t('control.resume') : t('control.pause')}
      </Button>
      <Button kind="quiet" onClick={() => controller?.move('repeat')}>
        {t('control.repeat')}
      </Button>
      <Button kind="quiet" aria-label={t('control.previous')} disabled={room.slideIndex <= 0} onClick={() => controller?.move('previous')}>
        <Icon of={ChevronLeft} />
      </Button>
      {/* At the end its place is that of the way out. */}
      {!(closing && isLast) && (
        <Button kind="quiet" aria-label={t('control.next')} disabled={isLast} onClick={() => controller?.move('next')}>
          <Icon of={ChevronRight} />
        </Button>
      )}
      {closing ? (
        <Button class="finish" onClick={() => controller?.control('finish')}>
          {t('control.finish')}
        </Button>
      ) : (
        <label class="pace">
          <span class="small muted pace-label" aria-hidden="true">
            {t('control.pace')}
          </span>
          <select
            class="input"
            aria-label={t('control.pace')}
            onChange={(event) => controller?.control('speed', { speed: Number(event.currentTarget.value) })}
          >
            {paces.map((pace) => (
              <option key={pace} value={pace} selected={pace === room.speed}>
                {pace} ×
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}

const reactions = { agree: ThumbsUp, like: Heart, aha: Lightbulb } as const
const reactionEveryMs = 2_000

/** In a broadcast the talk is the host's. Who attends finishes for themselves: the questions of others go on. */
function OfOneOfMany() {
  const { t, view, controller } = useRoom()
  const { room } = view
  const [hasReacted, setReacted] = useState(false)
  useEffect(() => (hasReacted ? webClock.after(reactionEveryMs, () => setReacted(false)) : undefined), [hasReacted])
  if (room.status === 'lobby') return null
  const react = (name: keyof typeof reactions) => {
    controller?.react(name)
    setReacted(true)
  }
  return (
    <div class="controls">
      <div class="reactions" role="group" aria-label={t('react.group')}>
        {(['agree', 'like', 'aha'] as const).map((name) => (
          <Button key={name} kind="quiet" idle={hasReacted} title={t(`react.${name}`)} onClick={() => react(name)}>
            <Icon of={reactions[name]} />
            <span class="vh">{t(`react.${name}`)}</span>
            <span class="small tabular reaction-count">{room.reactions[name] || ''}</span>
          </Button>
        ))}
      </div>
      {room.status === 'closing' && (
        <Button class="finish" onClick={() => controller?.leave()}>
          {t('control.finish')}
        </Button>
      )}
    </div>
  )
}
