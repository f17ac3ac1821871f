// Slides as text gives them, for tests and benches of what reads blocks.
import { parseBlocks, titleOf } from '@rostrum/deck/block-text'
import type { SlideText } from '@rostrum/contract/content'

/** With its title, the first line unless it is given, and its blocks. */
export function slideText<S extends Omit<SlideText, 'title' | 'blocks'> & { title?: string }>(slide: S): S & SlideText {
  const title = slide.title ?? titleOf(slide.text)
  return { ...slide, title, blocks: parseBlocks(slide.text, title) }
}
