// Plays a run that is over: its slide, the sentence that was said, the question it answered; moved by sentence, slide or time.
import { useState } from 'preact/hooks'
import { Light } from '../../room/stage/light.tsx'
import { monogram } from '../../room/stage/monogram.ts'
import type { PlaceOnSlide } from '../../room/stream/wire.ts'
import { barsOf } from '../../room/voice/level.ts'
import { Button } from '../../ui/button.tsx'
import { PollResults } from '../../ui/poll-results.tsx'
import { Thread } from '../../ui/thread.tsx'
import type { SessionDetail } from '../data/wire.ts'
import { plural, timecode } from '../parts/format.ts'
import { TextSlide } from '../parts/text-slide.tsx'
import { progressAt, type Replay, type Scene, sceneAt } from './replay.ts'
import type { TranscriptEntry } from './transcript-wire.ts'
import type { Player } from './use-player.ts'
import type { ReplayVoice } from './use-replay-voice.ts'

const speeds = [0.75, 1, 1.5, 2, 4] as const

type Presenter = Pick<SessionDetail, 'presenterName' | 'presenterImageUrl'>

export interface ReplayPlayerProps {
  replay: Replay
  player: Player
  voice: ReplayVoice
  slidesCount: number
  presenter: Presenter
}

export function ReplayPlayer({ replay, player, voice, slidesCount, presenter }: ReplayPlayerProps) {
  const scene = sceneAt(replay, player.ms)
  const current = scene.slide?.slideIndex ?? -1
  const shownAt = (index: number) => replay.slides.find(({ slideIndex }) => slideIndex === index)?.offsetMs
  return (
    <section class="player" aria-label="Player">
      <Stage scene={scene} slides={replay.slides} count={slidesCount} />
      <Thread
        count={slidesCount}
        current={current}
        progress={progressAt(replay, player.ms)}
        ticks={replay.questions.map(({ slideIndex }) => slideIndex ?? 0)}
        label={`Slide ${current + 1} of ${slidesCount}, ${plural(scene.asked, 'question')} so far`}
        onPick={(index) => player.seek(shownAt(index) ?? player.ms)}
      />
      <Speaker scene={scene} ms={player.ms} presenter={presenter} />
      <div class="player-words">
        {scene.answers !== null && (
          <p class="small muted">
            <bdi>{scene.answers.speaker}</bdi> asked: <bdi>{scene.answers.text}</bdi>
          </p>
        )}
        <p class="live-caption" data-testid="caption">
          <bdi>{scene.sentence?.text ?? 'The talk has not begun.'}</bdi>
        </p>
      </div>
      {scene.poll?.poll && (
        <div class="player-poll" data-testid="poll">
          <p class="small muted">
            <bdi>{scene.poll.poll.question}</bdi>
          </p>
          <PollResults poll={scene.poll.poll} words={{ right: 'right', yours: '' }} />
        </div>
      )}
      <Controls replay={replay} player={player} voice={voice} />
    </section>
  )
}

function Stage({ scene: { slide, sentence }, slides, count }: { scene: Scene; slides: Replay['slides']; count: number }) {
  const index = (slide?.slideIndex ?? -1) + 1
  const isQuote = sentence?.entry.type === 'answer'
  const lit = sentence?.lit ?? undefined
  const isAside = lit !== undefined && lit.slideIndex !== slide?.slideIndex
  const cited = isAside ? slides.find(({ slideIndex }) => slideIndex === lit.slideIndex) : undefined
  return (
    <div class="stage" data-testid="slide" data-index={index} data-count={count}>
      {slide === null ? (
        <p class="stage-empty">No slide yet</p>
      ) : (
        <ShownSlide key={index} entry={slide} lit={isAside ? undefined : lit} isQuote={isQuote} />
      )}
      {cited !== undefined && lit !== undefined && (
        <figure key={lit.slideIndex} class="stage-cited" data-testid="cited" data-index={lit.slideIndex + 1}>
          <div>
            <ShownSlide entry={cited} lit={lit} isQuote />
          </div>
          <figcaption class="small muted">Slide {lit.slideIndex + 1}</figcaption>
        </figure>
      )}
    </div>
  )
}

function ShownSlide({ entry, lit, isQuote }: { entry: TranscriptEntry; lit: PlaceOnSlide | undefined; isQuote: boolean }) {
  const [size, setSize] = useState({ width: 1600, height: 900 })
  if (!entry.slide?.imageUrl) return <TextSlide title={entry.text} text={entry.slide?.text} lit={lit?.spans} />
  return (
    <>
      <img
        src={entry.slide.imageUrl}
        alt={entry.text || `Slide ${(entry.slideIndex ?? 0) + 1}`}
        width={1600}
        height={900}
        onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setSize({ width, height })}
      />
      <Light slide={size} region={lit?.region} isQuote={isQuote} />
    </>
  )
}

/** Who spoke, as the room shows it; a host who spoke in between has a name of their own. */
function Speaker({ scene: { sentence, isSilent }, ms, presenter }: { scene: Scene; ms: number; presenter: Presenter }) {
  const isHost = sentence?.entry.speaker === 'Host'
  const name = isHost ? 'Host' : presenter.presenterName
  const share = sentence === null || isSilent ? 1 : (ms - sentence.from) / Math.max(1, sentence.to - sentence.from)
  const bars = barsOf({ id: '', text: sentence?.text ?? '', chars: Math.round(share * (sentence?.text.length ?? 0)) })
  return (
    <div class="player-speaker small" data-testid="presenter-card">
      {!isHost && presenter.presenterImageUrl ? (
        <img class="portrait" src={presenter.presenterImageUrl} alt="" width={32} height={32} />
      ) : (
        name && (
          <span class="portrait" aria-hidden="true">
            {monogram(name)}
          </span>
        )
      )}
      <p>
        {name && <bdi>{name}</bdi>} {isHost ? '' : name ? 'automated' : 'Automated presenter'}
      </p>
      <svg viewBox="0 0 22 20" width={22} height={20} aria-hidden="true">
        {bars.map((level, at) => (
          <rect key={at} x={at * 6} y={10 - 9 * level} width="4" height={18 * level} rx="2" />
        ))}
      </svg>
      <p class="muted">{isSilent ? 'Silent' : sentence?.entry.type === 'answer' ? 'Answering' : 'Speaking'}</p>
    </div>
  )
}

function Controls({ replay, player, voice }: Omit<ReplayPlayerProps, 'slidesCount' | 'presenter'>) {
  const { ms, isPlaying, speed, skipsSilence } = player
  const words = `${timecode(ms)} of ${timecode(replay.endMs)}`
  return (
    <div class="player-controls">
      <div class="player-time">
        <input
          type="range"
          aria-label="Moment"
          min={0}
          max={Math.max(1, Math.ceil(replay.endMs))}
          step={1000}
          value={Math.round(ms)}
          aria-valuetext={words}
          onInput={(event) => player.seek(event.currentTarget.valueAsNumber)}
        />
        <span class="small muted player-clock">{words}</span>
      </div>
      <div class="actions">
        <Button dense aria-label="Previous sentence" aria-keyshortcuts="ArrowLeft" onClick={() => player.step(-1)}>
          Previous
        </Button>
        <Button
          kind="primary"
          dense
          aria-keyshortcuts="Space k"
          onClick={() => {
            voice.unlock()
            player.toggle()
          }}
          disabled={replay.endMs === 0}
        >
          {isPlaying ? 'Pause' : 'Play'}
        </Button>
        <Button dense aria-label="Next sentence" aria-keyshortcuts="ArrowRight" onClick={() => player.step(1)}>
          Next
        </Button>
        <label class="goto">
          <span>Speed</span>
          <select class="input" value={String(speed)} onChange={(event) => player.setSpeed(Number(event.currentTarget.value))}>
            {speeds.map((each) => (
              <option key={each} value={String(each)} selected={each === speed}>
                {each}x
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={voice.isOn} onChange={(event) => voice.setOn(event.currentTarget.checked)} />
          Voice
        </label>
        <label class="check">
          <input type="checkbox" checked={skipsSilence} onChange={(event) => player.setSkipsSilence(event.currentTarget.checked)} />
          Skip silence
        </label>
      </div>
      <p class="small muted">Space plays and pauses, the arrow keys go by sentence.</p>
    </div>
  )
}
