// Why a trial scores what it does, slide by slide: what a listener would stumble over, and what was asked of the slide and not answered
// from it. Each leads to its place in the script.
import type { Rehearsal } from '../data/wire.ts'
import { plural } from '../parts/format.ts'

export function SlideBySlide({ sessionId, report }: { sessionId: string; report: Rehearsal }) {
  const bySlide = Map.groupBy(report.findings ?? [], ({ slideIndex }) => slideIndex)
  const missed = Map.groupBy(
    report.questions.filter(({ isMet }) => isMet === false),
    ({ slideIndex }) => slideIndex ?? -1,
  )
  const places = [...new Set([...bySlide.keys(), ...missed.keys()])].filter((index) => index >= 0).toSorted((a, b) => a - b)
  if (places.length === 0) return null
  const fine = (report.slides ?? []).filter(({ index }) => !places.includes(index)).length
  return (
    <div>
      <h3>Why, slide by slide</h3>
      <ol class="slide-reasons">
        {places.map((slideIndex) => (
          <li key={slideIndex} data-testid="slide-reasons">
            <p>
              <a href={`/dashboard/sessions/${sessionId}/script?slide=${slideIndex + 1}`}>Slide {slideIndex + 1}</a>{' '}
              <span class="small muted">{figuresOf(report, slideIndex)}</span>
            </p>
            <ul class="host-notes">
              {[...Map.groupBy(bySlide.get(slideIndex) ?? [], ({ code }) => code).values()].map(([first, ...more]) => (
                <li key={first?.code}>
                  {first?.detail} {first?.text !== undefined && <q>{first.text}</q>}
                  {more.length > 0 && <span class="muted"> and {plural(more.length, 'sentence')} more</span>}
                </li>
              ))}
              {(missed.get(slideIndex) ?? []).map(({ text, outcome }) => (
                <li key={text}>
                  {outcome === 'answered' || outcome === 'near' ? 'Answered from elsewhere: ' : 'Not answered: '}
                  <q>{text}</q>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {fine > 0 && <p class="small muted">{plural(fine, 'slide')} with nothing to fix.</p>}
    </div>
  )
}

function figuresOf({ slides }: Rehearsal, index: number): string {
  const { heard, asked = 0, met = 0 } = slides.find((slide) => slide.index === index) ?? {}
  return [heard === undefined ? '' : `said: ${heard} %`, asked === 0 ? '' : `answered: ${met} of ${asked}`].filter(Boolean).join(' · ')
}
