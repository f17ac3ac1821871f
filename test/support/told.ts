// What a talk says of slides, for tests of what is heard.
import type { Draft } from '@rostrum/contract/block'
import { writeBlocks } from '@rostrum/deck/block-text'
import type { ScriptInput, ScriptSlide } from '@rostrum/telling/beat'
import { compileScript } from '../../packages/telling/compile.ts'
import { slideText } from './slides.ts'

export function drawn(title: string, blocks: readonly Draft[], index: number): ScriptSlide {
  const { text, reading } = writeBlocks({ title, titleFrom: 'placeholder', isTitleSure: true, blocks, furniture: [] })
  return { id: `s${index}`, index, title, text, blocks: reading.blocks }
}

export const written = (text: string, index: number): ScriptSlide => slideText({ id: `s${index}`, index, text })

/** What is said of the slides between a cover and a goodbye. */
export function told(slides: readonly (string | readonly [string, readonly Draft[]])[], more: Partial<ScriptInput> = {}): string[] {
  const all = ['Cover', ...slides, 'Thank you'].map((slide, at) =>
    typeof slide === 'string' ? written(slide, at) : drawn(slide[0], slide[1], at),
  )
  const { beats } = compileScript({ title: 'Cover', language: 'en', slides: all, ...more })
  return beats.filter(({ slideIndex }) => slideIndex > 0 && slideIndex < all.length - 1).map(({ text }) => text)
}
