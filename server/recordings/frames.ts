// The pictures of a film: a slide on a dark stage, what is being said lit on it, the caption over its lower edge, or below it where its
// words reach down there. A picture changes only when one of the three does. Drawn by the server (`film.ts`), or by a browser where the server has no ffmpeg.
import type { PollPicture, Shot } from './timeline.ts'
import type { Brand } from '@rostrum/contract/brand'
import { paletteOf, plateOf } from '@rostrum/contract/palette'
import { resultRows } from '@rostrum/contract/poll-rows'

/** The context of a canvas, and what one draws from: the same in a browser and on the server. */
export interface Pen<P> {
  fillStyle: string | object
  font: string
  textAlign: 'center' | 'end' | 'left' | 'right' | 'start'
  textBaseline: 'alphabetic' | 'bottom' | 'hanging' | 'ideographic' | 'middle' | 'top'
  beginPath(): void
  clip(): void
  fill(): void
  fillRect(x: number, y: number, width: number, height: number): void
  fillText(text: string, x: number, y: number, widthMost?: number): void
  measureText(text: string): { width: number }
  restore(): void
  roundRect(x: number, y: number, width: number, height: number, radius: number): void
  save(): void
  drawImage(picture: P, x: number, y: number, width: number, height: number): void
}

interface Picture {
  width: number
  height: number
}

export interface FilmSlide {
  title: string
  text: string
  /** Null for a slide of words alone. */
  imageUrl: string | null
  /** Captions stand below it: smaller, it leaves them room. */
  lowText?: boolean
}

/** What the pictures of one film have in common. */
export interface Scene {
  width: number
  height: number
  slides: readonly FilmSlide[]
  /** A host's, on a band below the slide: nothing of the slide is covered. */
  brand: Brand | null
}

const stage = '#14171a'
const paper = '#fbfaf7'
const ink = '#1d2126'
const dim = 'rgba(12, 14, 16, 0.5)'
const scrim = 'rgba(12, 14, 16, 0.82)'
const family = '"DejaVu Sans", "Noto Sans", "Noto Sans CJK SC", "Noto Sans Arabic", "Liberation Sans", Arial, sans-serif'
/** Captions of two lines take the rest of the height. */
const aboveCaptions = 0.8

/** Of the height of a picture that has a brand. */
const bandShare = 0.07

/** Draws shots of one talk with `ctx`; a slide's picture is opened once for all shots in a row. What `open` does not find is left out. */
export async function frameDrawer<P extends Picture>(
  { width, height: full, slides, brand }: Scene,
  ctx: Pen<P>,
  open: (url: string) => Promise<P | null>,
): Promise<(shot: Shot) => Promise<void>> {
  const logo = brand?.logoUrl === undefined ? null : await open(brand.logoUrl)
  const hasBand = logo !== null || brand?.name !== undefined || brand?.accent !== undefined
  const height = hasBand ? full - Math.round(full * bandShare) : full
  let opened: { index: number; image: P | null } | undefined

  return async (shot) => {
    const slide = slides[shot.slideIndex]
    if (opened?.index !== shot.slideIndex) opened = { index: shot.slideIndex, image: slide?.imageUrl ? await open(slide.imageUrl) : null }
    ctx.fillStyle = stage
    ctx.fillRect(0, 0, width, full)
    if (brand && hasBand)
      drawBand(ctx, { ...brand, image: logo }, { width, top: height, height: full - height, share: (shot.slideIndex + 1) / slides.length })
    const { image } = opened
    const most = slide?.lowText ? height * aboveCaptions : height
    const scale = image === null ? 1 : Math.min(width / image.width, most / image.height)
    const [w, h] = image === null ? [width, height] : [image.width * scale, image.height * scale]
    const [x, y] = [(width - w) / 2, (most - h) / 2]
    if (image !== null) ctx.drawImage(image, x, y, w, h)
    else if (slide !== undefined) drawWords(ctx, slide, { width, height, ground: paletteOf(brand ?? {}).light.paper ?? paper })
    const region = image === null ? [] : (shot.region ?? [])
    if (image !== null && region.length > 0) {
      const margin = h / 90
      ctx.fillStyle = dim
      ctx.fillRect(x, y, w, h)
      ctx.save()
      ctx.beginPath()
      for (const [left, top, wide, high] of region)
        ctx.roundRect(x + left * w - margin, y + top * h - margin, wide * w + 2 * margin, high * h + 2 * margin, margin)
      ctx.clip()
      ctx.drawImage(image, x, y, w, h)
      ctx.restore()
    }
    if (shot.poll !== undefined) drawPoll(ctx, shot.poll, { width, height })
    if (shot.caption !== '') drawCaption(ctx, shot.caption, { width, height })
  }
}

interface Band {
  width: number
  top: number
  height: number
  /** Of the talk that has passed with this slide. */
  share: number
}

/** How far the talk is, in the accent; below it the logo, or the name. */
function drawBand<P extends Picture>(
  ctx: Pen<P>,
  { name, accent, logo, image }: Brand & { image: P | null },
  { width, top, height, share }: Band,
): void {
  const line = Math.max(2, Math.round(height / 12))
  ctx.fillStyle = '#ffffff24'
  ctx.fillRect(0, top, width, line)
  ctx.fillStyle = paletteOf({ accent }).dark.accent ?? '#ffffff'
  ctx.fillRect(0, top, Math.round(width * share), line)
  const [middle, margin] = [top + line + (height - line) / 2, Math.round(height / 2)]
  if (image !== null) {
    const scale = Math.min(((height - line) * 0.66) / image.height, (width * 0.3) / image.width)
    const [w, h] = [image.width * scale, image.height * scale]
    const plate = plateOf(logo?.ink ?? ink, 'dark', { paper: stage })
    if (plate !== null) {
      ctx.fillStyle = plate
      ctx.beginPath()
      ctx.roundRect(margin - h / 5, middle - h * 0.6, w + h * 0.4, h * 1.2, h / 6)
      ctx.fill()
    }
    ctx.drawImage(image, margin, middle - h / 2, w, h)
  } else if (name !== undefined) {
    ctx.font = `600 ${Math.round(height * 0.4)}px ${family}`
    ctx.fillStyle = '#ffffff'
    ctx.textAlign = 'start'
    ctx.textBaseline = 'middle'
    ctx.fillText(name, margin, middle, width * 0.6)
  }
}

interface Frame {
  width: number
  height: number
}

function drawCaption(ctx: Pen<never>, caption: string, { width, height }: Frame): void {
  const size = Math.round(height / 22)
  ctx.font = `500 ${size}px ${family}`
  const lines = wrapped(ctx, caption, width * 0.8)
  const line = size * 1.35
  const widest = Math.max(...lines.map((each) => ctx.measureText(each).width))
  const [boxWidth, boxHeight] = [widest + size * 1.4, lines.length * line + size * 0.7]
  const top = height * 0.96 - boxHeight
  ctx.fillStyle = scrim
  ctx.beginPath()
  ctx.roundRect((width - boxWidth) / 2, top, boxWidth, boxHeight, size / 3)
  ctx.fill()
  ctx.fillStyle = '#ffffff'
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  for (const [at, each] of lines.entries()) ctx.fillText(each, width / 2, top + size * 0.35 + line * (at + 0.5))
}

const bar = '#4f7cff'
const rightBar = '#2f9e6b'
const track = 'rgba(255, 255, 255, 0.14)'

/** What is asked with what may be answered, and a bar for each answer once there are results. */
function drawPoll(ctx: Pen<never>, { kind, question, options, results, right }: PollPicture, { width, height }: Frame): void {
  const rows = resultRows({ kind, options, results }).slice(0, 8)
  const line = height / 13
  const [left, right_] = [width * 0.16, width * 0.84]
  ctx.font = `600 ${Math.round(height / 22)}px ${family}`
  const asked = wrapped(ctx, question, right_ - left).slice(0, 2)
  const top = Math.max(height * 0.08, (height * 0.86 - (rows.length + asked.length + 0.6) * line) / 2)
  ctx.fillStyle = 'rgba(12, 14, 16, 0.98)'
  ctx.beginPath()
  ctx.roundRect(left - line / 2, top - line / 2, right_ - left + line, (rows.length + asked.length + 1) * line, line / 4)
  ctx.fill()
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'start'
  ctx.fillStyle = '#ffffff'
  for (const [at, each] of asked.entries()) ctx.fillText(each, left, top + line * (at + 0.4))
  ctx.font = `500 ${Math.round(height / 28)}px ${family}`
  for (const [at, { name, share, width: part }] of rows.entries()) {
    const y = top + line * (asked.length + at + 0.1)
    ctx.fillStyle = track
    ctx.fillRect(left, y, right_ - left, line * 0.78)
    if (results !== undefined) {
      ctx.fillStyle = at === right ? rightBar : bar
      ctx.fillRect(left, y, ((right_ - left) * part) / 100, line * 0.78)
    }
    ctx.fillStyle = '#ffffff'
    ctx.textAlign = 'start'
    const [shown = ''] = wrapped(ctx, `${at === right ? '\u2713 ' : ''}${name}`, (right_ - left) * 0.8)
    ctx.fillText(shown, left + line / 4, y + line * 0.4)
    if (results === undefined) continue
    ctx.textAlign = 'end'
    ctx.fillText(share, right_ - line / 4, y + line * 0.4)
  }
}

/** A slide without a picture: its title, and as many of its lines as there is room for. */
function drawWords(ctx: Pen<never>, { title, text }: FilmSlide, { width, height, ground }: Frame & { ground: string }): void {
  ctx.fillStyle = ground
  ctx.fillRect(0, 0, width, height)
  ctx.fillStyle = ink
  ctx.textAlign = 'start'
  ctx.textBaseline = 'alphabetic'
  const margin = width * 0.08
  let y = height * 0.2
  const put = (words: string, font: string, line: number, most: number) => {
    ctx.font = font
    for (const each of wrapped(ctx, words, width - 2 * margin).slice(0, most)) {
      if (y > height * 0.82) return
      ctx.fillText(each, margin, y)
      y += line
    }
  }
  put(title, `600 ${Math.round(height / 14)}px ${family}`, height / 11, 2)
  y += height / 40
  const lines = text.split('\n').filter((line) => line.trim() !== '' && line.trim() !== title.trim())
  for (const each of lines) put(each, `400 ${Math.round(height / 24)}px ${family}`, height / 16, 3)
}

/** At spaces, or anywhere in a script that has none. */
function wrapped(ctx: Pen<never>, text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text
    .trim()
    .split(/\s+/)
    .flatMap((each) => (ctx.measureText(each).width > width ? Array.from(each) : [each, ' ']))) {
    if (line !== '' && ctx.measureText(line + word.trim()).width > width) {
      lines.push(line.trim())
      line = ''
    }
    line += word
  }
  return line.trim() === '' ? lines : [...lines, line.trim()]
}
