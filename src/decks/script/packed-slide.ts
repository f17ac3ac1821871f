// A slide on its way to the compiler: its blocks stay the JSON they are stored as until somebody reads them, since the thread of a
// long script is given a copy, and a copy of a hundred thousand small objects holds the server longer than reading them there.
import type { Block } from '../blocks/block.ts'
import type { ScriptInput, ScriptSlide } from './beat.ts'

export type PackedSlide = Omit<ScriptSlide, 'blocks'> & { reading: string }

export function unpacked(slide: PackedSlide): ScriptSlide {
  let blocks: readonly Block[] | undefined
  return {
    ...slide,
    get blocks() {
      // Only our own JSON is ever written to the column.
      blocks ??= (JSON.parse(slide.reading) as { blocks: readonly Block[] }).blocks
      return blocks
    },
  }
}

/** What can be copied to a thread; `blocks` is not touched where the slide has its JSON. */
export function packed(input: ScriptInput): object {
  return {
    ...input,
    slides: input.slides.map((slide) => {
      if (!('reading' in slide)) return slide
      const copy: Partial<Record<string, unknown>> = {}
      for (const name of Object.keys(slide)) if (name !== 'blocks') copy[name] = slide[name as keyof ScriptSlide]
      return copy
    }),
  }
}

export function unpackedInput(input: Omit<ScriptInput, 'slides'> & { slides: readonly (PackedSlide | ScriptSlide)[] }): ScriptInput {
  return { ...input, slides: input.slides.map((slide) => ('reading' in slide ? unpacked(slide) : slide)) }
}
