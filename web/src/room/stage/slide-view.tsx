// One slide in its 16:9 box: its picture, or its words typeset. The picture's alternative is the title; its text is in a details element.
import type { PlaceOnSlide, Slide } from '../stream/wire.ts'
import { Light } from './light.tsx'

const linesMax = 7

export interface SlideViewProps {
  slide: Slide
  count: number
  name: string
  eager: boolean
  /** Of the session: slides do not mirror with the interface. */
  language: string
  /** What is being said, or is quoted. */
  lit?: PlaceOnSlide | undefined
  isQuote?: boolean
  /** Beside the slide of the talk, which is the one that is meant by `slide`. */
  isAside?: boolean
  /** How wide a picture is shown. */
  sizes?: string | undefined
}

const rightToLeft = /^(ar|fa|he|ur)\b/

export function SlideView({ slide, count, name, eager, language, lit, isQuote, isAside, sizes }: SlideViewProps) {
  return (
    <figure
      class="slide"
      lang={language}
      dir={rightToLeft.test(language) ? 'rtl' : 'ltr'}
      data-testid={isAside ? undefined : 'slide'}
      data-index={slide.index + 1}
      data-count={count}
      aria-hidden={isAside ? 'true' : undefined}
    >
      {slide.imageUrl === null ? (
        <TextSlide slide={slide} name={name} lit={lit} />
      ) : (
        <>
          <ImageSlide slide={slide} name={name} eager={eager} sizes={sizes} />
          <Light slide={slide} region={lit?.region} isQuote={isQuote} />
        </>
      )}
    </figure>
  )
}

function ImageSlide({
  slide,
  name,
  eager,
  sizes = '(width >= 960px) 82vw, 100vw',
}: Pick<SlideViewProps, 'slide' | 'name' | 'eager' | 'sizes'>) {
  return (
    <img
      class="slide-image"
      src={slide.imageUrl ?? ''}
      srcset={slide.srcset ?? undefined}
      sizes={sizes}
      width={slide.width ?? 1600}
      height={slide.height ?? 900}
      alt={slide.title || name}
      fetchpriority={eager ? 'high' : 'auto'}
      decoding="async"
    />
  )
}

/** By how much there is to say: a statement (title alone or one line), a list, prose. */
function layoutOf(index: number, lines: readonly BodyLine[]): 'statement' | 'body' | 'dense' {
  const length = lines.reduce((sum, line) => sum + line.text.length, 0)
  return index === 0 || length <= 70 ? 'statement' : lines.length >= 6 || length > 420 ? 'dense' : 'body'
}

/** Words stand where captions would lie. */
export const isLow = ({ index, imageUrl, lowText, text, title }: Slide): boolean =>
  imageUrl === null ? layoutOf(index, bodyLines(text, title ?? '')) === 'dense' : lowText === true

function TextSlide({ slide, name, lit }: { slide: Slide; name: string; lit: PlaceOnSlide | undefined }) {
  const title = slide.title || name
  const lines = bodyLines(slide.text, title).slice(0, linesMax)
  const layout = layoutOf(slide.index, lines)
  // The rest recedes only where something of what is shown does not.
  const spot = lines.some((line) => isLit(line, lit?.spans)) ? '' : undefined
  return (
    <div class={`slide-text slide-${layout}`} data-spot={spot} data-testid={spot === undefined ? undefined : 'spotlight'}>
      <h2>
        <bdi>{title}</bdi>
      </h2>
      {lines.length > 0 && (
        <div class="slide-lines">
          {lines.map((line, index) => (
            <p key={index} class={line.bullet ? 'slide-bullet' : undefined} data-lit={isLit(line, lit?.spans) ? '' : undefined}>
              <bdi>{line.text}</bdi>
            </p>
          ))}
        </div>
      )}
    </div>
  )
}

export interface BodyLine {
  text: string
  bullet: boolean
  /** Its place in the text of the slide. */
  start: number
  end: number
}

export const isLit = ({ start, end }: BodyLine, spans: PlaceOnSlide['spans']): boolean =>
  spans?.some(([from, to]) => from < end && to > start) === true

/** Lines of a slide's text without its title and without bullet signs. */
export function bodyLines(text: string | null, title: string): readonly BodyLine[] {
  let start = 0
  const lines = (text ?? '').split('\n').map((line) => {
    const end = start + line.length
    const found = { text: line.trim(), start, end }
    start = end + 1
    return found
  })
  const filled = lines.filter((line) => line.text !== '')
  const rest = filled[0]?.text.replace(/^#+\s*/, '') === title ? filled.slice(1) : filled
  return rest.map((line) => {
    const plain = line.text.replace(/^([-*•–·▪]|\d+[.)])\s+/, '')
    return { ...line, text: plain, bullet: plain !== line.text }
  })
}
