// Markdown decks: slides split at a line of `---`, HTML comments as private notes, pictures left out (their alt text stays).
import type { OpenDocument } from './protocol.ts'
import { cleanText, DocumentError } from './protocol.ts'

export interface MarkdownSlide {
  text: string
  notes: string
}

/** A `---` inside a code fence is text; front matter at the very top is dropped. */
export function splitMarkdown(source: string): MarkdownSlide[] {
  const lines = source
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
  const slides: string[][] = [[]]
  let fence = ''
  for (const line of lines.slice(frontMatterLength(lines))) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '' && /^ {0,3}-{3,}\s*$/.test(line)) {
      slides.push([])
      continue
    }
    if (fence === '') fence = mark
    else if (mark.startsWith(fence)) fence = ''
    slides.at(-1)?.push(line)
  }
  return slides
    .map((slide) => slide.join('\n'))
    .filter((slide) => slide.trim() !== '')
    .map(readSlide)
}

function frontMatterLength(lines: readonly string[]): number {
  if (lines[0]?.trim() !== '---') return 0
  const end = lines.indexOf('---', 1)
  const isFrontMatter = end > 1 && lines.slice(1, end).every((line) => /^[\w-]+:|^\s+\S|^$|^#/.test(line))
  return isFrontMatter ? end + 1 : 0
}

function readSlide(source: string): MarkdownSlide {
  const notes: string[] = []
  let text = ''
  let at = 0
  for (let open = source.indexOf('<!--'); open >= 0; open = source.indexOf('<!--', at)) {
    const close = source.indexOf('-->', open + 4)
    if (close < 0) break
    text += source.slice(at, open)
    notes.push(source.slice(open + 4, close).trim())
    at = close + 3
  }
  text += source.slice(at)
  // Cut to its bounds first: the patterns below look ahead by hundreds of characters.
  const spoken = cleanText(text)
    .replace(/!\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g, '$1')
    .replace(/\[([^\]\n]{1,500})\]\([^)\n]{0,2000}\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)([^*_\n]{1,500})\1/g, '$2')
    .replace(/`([^`\n]{1,500})`/g, '$1')
  return { text: cleanText(spoken), notes: cleanText(notes.join('\n')) }
}

export function openMarkdown(bytes: Uint8Array): OpenDocument {
  const slides = splitMarkdown(new TextDecoder().decode(bytes))
  if (slides.length === 0) throw new DocumentError('The file has no text.')
  return {
    total: slides.length,
    async page(index) {
      const { text, notes } = slides[index] ?? { text: '', notes: '' }
      return { index, title: '', text, notes, images: [], state: text === '' ? 'no_text' : 'ok' }
    },
  }
}
