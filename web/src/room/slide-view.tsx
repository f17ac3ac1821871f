// One slide in its 16:9 box: its picture, or its words typeset. The picture's alternative is the title; its text is in a details element.
import type { Slide } from './wire.ts'

const linesMax = 7

export interface SlideViewProps {
  slide: Slide
  count: number
  name: string
  eager: boolean
  /** Of the session: slides do not mirror with the interface. */
  language: string
}

const rightToLeft = /^(ar|fa|he|ur)\b/

export function SlideView({ slide, count, name, eager, language }: SlideViewProps) {
  return (
    <figure
      class="slide"
      lang={language}
      dir={rightToLeft.test(language) ? 'rtl' : 'ltr'}
      data-testid="slide"
      data-index={slide.index + 1}
      data-count={count}
    >
      {slide.imageUrl === null ? <TextSlide slide={slide} name={name} /> : <ImageSlide slide={slide} name={name} eager={eager} />}
    </figure>
  )
}

function ImageSlide({ slide, name, eager }: { slide: Slide; name: string; eager: boolean }) {
  return (
    <img
      class="slide-image"
      src={slide.imageUrl ?? ''}
      srcset={slide.srcset ?? undefined}
      sizes="(width >= 960px) 65vw, 100vw"
      width={slide.width ?? 1600}
      height={slide.height ?? 900}
      alt={slide.title || name}
      fetchpriority={eager ? 'high' : 'auto'}
      decoding="async"
    />
  )
}

/** Layouts by how much there is to say: a statement (title alone or one line), a list, prose. */
function TextSlide({ slide, name }: { slide: Slide; name: string }) {
  const title = slide.title || name
  const lines = bodyLines(slide.text, title).slice(0, linesMax)
  const length = lines.reduce((sum, line) => sum + line.text.length, 0)
  const layout = slide.index === 0 || length <= 70 ? 'statement' : lines.length >= 6 || length > 420 ? 'dense' : 'body'
  return (
    <div class={`slide-text slide-${layout}`}>
      <h2>
        <bdi>{title}</bdi>
      </h2>
      {lines.length > 0 && (
        <div class="slide-lines">
          {lines.map((line, index) => (
            <p key={index} class={line.bullet ? 'slide-bullet' : undefined}>
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
}

/** Lines of a slide's text without its title and without bullet signs. */
export function bodyLines(text: string | null, title: string): readonly BodyLine[] {
  const lines = (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const rest = lines[0]?.replace(/^#+\s*/, '') === title ? lines.slice(1) : lines
  return rest.map((line) => {
    const plain = line.replace(/^([-*•–·▪]|\d+[.)])\s+/, '')
    return { text: plain, bullet: plain !== line }
  })
}
