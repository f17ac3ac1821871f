// The editor: what is at hand above, the slides beside, and the talk as one text, a part for each slide.
import { useEffect, useRef, useState } from 'preact/hooks'
import { SlideOf } from '../parts/text-slide.tsx'
import { estimateMs } from '../../room/voice/estimate.ts'
import { useFindings } from './use-findings.ts'
import { useHearing } from './use-hearing.ts'
import type { ScriptAnswer, SessionDetail, Slide } from '../data/wire.ts'
import { ConflictNote } from './conflict-note.tsx'
import { Filmstrip } from './filmstrip.tsx'
import { FindBar } from './find-bar.tsx'
import { ScriptHead } from './script-head.tsx'
import { commandKeys, keyWords } from './script-keys.ts'
import { ScriptSection } from './script-section.tsx'
import type { ScriptText } from './script-text.ts'
import * as acts from './script-text.ts'
import { ScriptTools } from './script-tools.tsx'
import { useProposals, type Wish } from './use-proposals.ts'
import { useScript } from './use-script.ts'
import { VersionsDialog } from './versions-dialog.tsx'
import { WriteCard } from './write-card.tsx'

export interface ScriptEditorProps {
  session: SessionDetail
  slides: readonly Slide[]
  answer: ScriptAnswer
  /** The slide that the address names, from 0. */
  wanted: number
}

const breathMs = 250

export function ScriptEditor({ session, slides, answer, wanted }: ScriptEditorProps) {
  const { id: sessionId, language } = session
  const editing = useScript(sessionId, answer)
  const hearing = useHearing(session)
  const proposals = useProposals(sessionId)
  const [place, setPlace] = useState({ at: Math.max(0, wanted), caret: 0, end: 0 })
  const [wish, setWish] = useState<Wish>({ withNotes: true, tone: 'plain' })
  const [isFinding, setFinding] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const { script, base } = editing
  const pictures = new Map(slides.map((slide) => [slide.id, slide]))
  const saved = new Map(base.slides.map((slide) => [slide.slideId, slide]))
  const findings = useFindings(sessionId, editing)
  const heard = heardPlace(hearing.now, script)
  const current = heard?.at ?? Math.min(place.at, script.length - 1)

  // The address names a slide: its part of the text is brought to the top.
  useEffect(() => {
    setPlace({ at: Math.max(0, wanted), caret: 0, end: 0 })
    if (wanted > 0) root.current?.querySelectorAll('[data-testid=doc-slide]')[wanted]?.scrollIntoView()
  }, [wanted])

  const secondsOf = (at: number): number => {
    const slide = script[at]
    const was = slide && saved.get(slide.slideId)
    if (slide === undefined) return 0
    const [before] = was === undefined ? [] : acts.textOf([was])
    if (was !== undefined && before !== undefined && acts.isSameSlide(before, slide)) return was.seconds
    const lines = [...slide.before, ...acts.linesOf(slide.text).map((text) => ({ text })), ...slide.after]
    const spoken = lines.reduce((sum, { text }) => sum + estimateMs(text) + breathMs, slide.isSilent ? 5_000 : 0)
    return Math.round(spoken / 100) / 10
  }

  const playFrom = (at: number, caret: number) => {
    const line = acts.lineAt(script[at]?.text ?? '', caret)
    hearing.hear(sessionId, spokenFrom(script, base, { at, line }))
  }

  const move = (from: number, to: number) => editing.edit(acts.movedSlide(script, from, to))
  const beat = heard && base.beats.find(({ slideId, text }) => slideId === script[heard.at]?.slideId && text === heard.text)
  const picture = pictures.get(script[current]?.slideId ?? '')
  const seconds = script.map((_slide, at) => secondsOf(at))

  return (
    <div class="script-screen" ref={root} onKeyDown={commandKeys(editing)}>
      <ScriptHead
        session={session}
        editing={editing}
        findings={findings}
        seconds={seconds}
        versions={(onClose) => <VersionsDialog sessionId={sessionId} editing={editing} onClose={onClose} />}
      />
      <ConflictNote editing={editing} />
      <div class="script-grid">
        <Filmstrip
          slides={script}
          pictures={pictures}
          current={current}
          warned={new Set(findings.map(({ at }) => at))}
          href={(at) => `/dashboard/sessions/${sessionId}/script?slide=${at + 1}`}
          onMove={move}
        />
        <div class="script-doc">
          <ScriptTools
            editing={editing}
            language={language}
            place={place}
            isHeard={hearing.now !== null}
            onPlay={() => (hearing.now === null ? playFrom(place.at, place.caret) : hearing.stop())}
            onFind={() => setFinding(!isFinding)}
            isFinding={isFinding}
          >
            {isFinding && <FindBar editing={editing} onClose={() => setFinding(false)} />}
          </ScriptTools>
          {script.map((slide, at) => (
            <ScriptSection
              key={slide.slideId}
              sessionId={sessionId}
              editing={editing}
              language={language}
              at={at}
              slide={slide}
              saved={saved.get(slide.slideId)}
              seconds={seconds[at] ?? 0}
              picture={pictures.get(slide.slideId)}
              findings={findings.filter((finding) => finding.at === at)}
              proposals={proposals.of(slide.slideId).filter(({ was }) => acts.linesOf(slide.text).includes(was))}
              isCurrent={at === current}
              heard={heard?.at === at ? heard.line : undefined}
              isTheirs={editing.conflict?.both.includes(slide.slideId) === true}
              onPlace={(caret, end) => setPlace({ at, caret, end })}
              onDecided={(proposal) => proposals.decided(slide.slideId, proposal)}
              onWrite={!base.hasModel ? undefined : () => proposals.write([slide.slideId], wish)}
              isWriting={proposals.isWriting(slide.slideId)}
            />
          ))}
        </div>
        <aside class="script-side" aria-label="The slide">
          {picture !== undefined && <SlideOf slide={picture} lit={beat?.region} />}
          <div class="script-side-head">
            <p class="small muted">
              Slide {current + 1} of {script.length}
            </p>
            <a class="small" href={`/dashboard/sessions/${sessionId}/slides?slide=${current + 1}`}>
              Its text and notes
            </a>
          </div>
          <WriteCard
            isOff={!base.hasModel}
            proposals={proposals}
            slideIds={script.filter(({ isSilent }) => !isSilent).map(({ slideId }) => slideId)}
            wish={wish}
            onWish={setWish}
          />
          <details class="fold script-keys">
            <summary class="small">Keys</summary>
            <dl class="small">
              {keyWords.map(([keys, does]) => (
                <div key={keys}>
                  <dt>{keys}</dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </details>
        </aside>
      </div>
    </div>
  )
}

/** What is said from a line on, to the end of the talk. A sentence that is saved is said as the room will hear it. */
function spokenFrom(script: ScriptText, base: ScriptAnswer, from: { at: number; line: number }) {
  const beats = new Map(base.beats.map((beat) => [`${beat.slideId} ${beat.text}`, beat]))
  return script.slice(from.at).flatMap((slide, offset) => {
    const lines = slide.text.split('\n').map((text, line) => ({ text, line }))
    const begun = offset === 0 && from.line > 0 ? lines.slice(from.line) : [...slide.before.map(unplaced), ...lines]
    return [...begun, ...slide.after.map(unplaced)].flatMap(({ text: words, line }) => {
      const text = words.trim()
      if (text === '') return []
      const beat = beats.get(`${slide.slideId} ${text}`)
      const name = `${slide.slideId} ${line} ${text}`
      return [{ name, text, estMs: beat?.estMs ?? estimateMs(text), ...(beat && { beatId: beat.beatId }) }]
    })
  })
}

/** The presenter's own sentences are no lines of the text. */
const unplaced = ({ text }: acts.FixedLine) => ({ text, line: -1 })

function heardPlace(now: string | null, script: ScriptText): { at: number; line: number; text: string } | undefined {
  const [slideId, line, ...words] = now?.split(' ') ?? []
  const at = script.findIndex((slide) => slide.slideId === slideId)
  return at === -1 ? undefined : { at, line: Number(line), text: words.join(' ') }
}
