// Pictures of words, drawn with the font of our pages, for what reads words from pictures.
import { fileURLToPath } from 'node:url'
import { createCanvas, GlobalFonts } from '@napi-rs/canvas'

const family = 'Pictured Sans'
for (const part of ['latin', 'latin-ext']) {
  const file = `@fontsource-variable/instrument-sans/files/instrument-sans-${part}-wght-normal.woff2`
  GlobalFonts.registerFromPath(fileURLToPath(import.meta.resolve(file)), family)
}

/** The first line is large. */
export async function pictureOfWords([title = '', ...lines]: readonly string[], format: 'png' | 'jpeg' = 'png'): Promise<Uint8Array> {
  const canvas = createCanvas(1_600, 900)
  const context = canvas.getContext('2d')
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, 1_600, 900)
  context.fillStyle = '#102030'
  context.font = `90px "${family}"`
  context.fillText(title, 100, 180)
  context.font = `44px "${family}"`
  for (const [at, line] of lines.entries()) context.fillText(line, 100, 360 + at * 90)
  return format === 'png' ? canvas.encode('png') : canvas.encode('jpeg', 85)
}
