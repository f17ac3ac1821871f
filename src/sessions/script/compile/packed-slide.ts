// A slide on its way to the compiler: its blocks stay the JSON they are stored as until somebody reads them, since the thread of a
// long script is given a copy, and a copy of a hundred thousand small objects holds the server longer than reading them there.
import type { Reading } from '../../deck/block.ts'
import type { ScriptInput, ScriptSlide } from './beat.ts'

export type PackedSlide = Omit<ScriptSlide, 'blocks' | 'isTitleSure'> & { reading: string }

export function unpacked(slide: PackedSlide): ScriptSlide {
  let parsed: Reading | undefined
  // Only our own JSON is ever written to the column.
  const read = () => (parsed ??= JSON.parse(slide.reading) as Reading)
  return {
    ...slide,
    get blocks() {
      return read().blocks
    },
    get isTitleSure() {
      return read().isTitleSure
    },
  }
}

/** What can be copied to a thread; what is read from its JSON is not touched where a slide has it. */
export function packed(input: ScriptInput): object {
  return {
    ...input,
    slides: input.slides.map((slide) => {
      if (!('reading' in slide)) return slide
      const copy: Partial<Record<string, unknown>> = {}
      for (const name of Object.keys(slide)) if (name !== 'blocks' && name !== 'isTitleSure') copy[name] = slide[name as keyof ScriptSlide]
      return copy
    }),
  }
}

export function unpackedInput(input: Omit<ScriptInput, 'slides'> & { slides: readonly (PackedSlide | ScriptSlide)[] }): ScriptInput {
  return { ...input, slides: input.slides.map((slide) => ('reading' in slide ? unpacked(slide) : slide)) }
}
