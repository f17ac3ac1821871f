// Plays a run that is over: its slide, the sentence that was said, the question it answered; moved by sentence, slide or time.
import { useState } from 'preact/hooks'
import { Light } from '../../room/light.tsx'
import { Button } from '../../ui/button.tsx'
import { Thread } from '../../ui/thread.tsx'
import { plural, timecode } from '../format.ts'
import type { Replay, Scene } from '../replay.ts'
import { progressAt, sceneAt } from '../replay.ts'
import { TextSlide } from '../text-slide.tsx'
import type { Player } from '../use-player.ts'
import type { ReplayVoice } from '../use-replay-voice.ts'

const speeds = [0.75, 1, 1.5, 2, 4] as const

export interface ReplayPlayerProps {
  replay: Replay
  player: Player
  voice: ReplayVoice
  slidesCount: number
}

export function ReplayPlayer({ replay, player, voice, slidesCount }: ReplayPlayerProps) {
  const scene = sceneAt(replay, player.ms)
  const current = scene.slide?.slideIndex ?? -1
  const shownAt = (index: number) => replay.slides.find(({ slideIndex }) => slideIndex === index)?.offsetMs
  return (
    <section class="player" aria-label="Player">
      <Stage scene={scene} count={slidesCount} />
      <Thread
        count={slidesCount}
        current={current}
        progress={progressAt(replay, player.ms)}
        ticks={replay.questions.map(({ slideIndex }) => slideIndex ?? 0)}
        label={`Slide ${current + 1} of ${slidesCount}, ${plural(scene.asked, 'question')} so far`}
        onPick={(index) => player.seek(shownAt(index) ?? player.ms)}
      />
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
      <Controls replay={replay} player={player} voice={voice} />
    </section>
  )
}

function Stage({ scene: { slide, sentence }, count }: { scene: Scene; count: number }) {
  const index = (slide?.slideIndex ?? -1) + 1
  const [size, setSize] = useState({ width: 1600, height: 900 })
  const lit = sentence?.lit?.slideIndex === slide?.slideIndex ? sentence?.lit : undefined
  return (
    <div class="stage" data-testid="slide" data-index={index} data-count={count}>
      {slide === null ? (
        <p class="stage-empty">No slide yet</p>
      ) : slide.slide?.imageUrl ? (
        <>
          <img
            src={slide.slide.imageUrl}
            alt={slide.text || `Slide ${index}`}
            width={1600}
            height={900}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setSize({ width, height })}
          />
          <Light key={index} slide={size} region={lit?.region} isQuote={sentence?.entry.type === 'answer'} />
        </>
      ) : (
        <TextSlide title={slide.text} text={slide.slide?.text} lit={lit?.spans} />
      )}
    </div>
  )
}

function Controls({ replay, player, voice }: Omit<ReplayPlayerProps, 'slidesCount'>) {
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
