// The script as a document (docs/decisions/023): what is said of each slide, sentence by sentence, and what a changed document makes of
// the narration of its slides. Pure.
import { limits } from '@rostrum/contract/fields'
import { languageOf } from '@rostrum/languages/languages'
import { invalidInput } from '../platform/parse.ts'
import type { Slide } from '../decks/deck-rows.ts'
import { type BeatEdit, type EditedBeat, placeOf, rowHash } from './beat-edits.ts'
import type { CitedSentence } from '@rostrum/telling/beat'
import type { BeatSource } from '@rostrum/contract/beat'
import { stopped } from '@rostrum/telling/narration'
import type { StoredScript } from './scripts.ts'

export interface WantedSentence {
  beatId?: string | undefined
  text: string
  sources?: readonly { type: 'slide' | 'knowledge'; id: string }[] | undefined
}

/** Without `sentences`, and not silent: told as the rules compile it. */
export interface WantedSlide {
  slideId: string
  silent?: boolean | undefined
  sentences?: readonly WantedSentence[] | undefined
}

export type WrittenSlide = Pick<Slide, 'id' | 'narration' | 'cited' | 'is_silent'>

/** All that somebody wrote for a talk; its slides in order. */
export interface WrittenScript {
  slides: readonly WrittenSlide[]
  edits: readonly BeatEdit[]
}

export interface PresentScript {
  script: StoredScript
  slides: readonly Slide[]
  edits: readonly BeatEdit[]
  passageIds: readonly string[]
  now: number
}

/** Said in its own place whatever the document says around it: the presenter's own words, and questions that private notes ask. */
export const isFixed = ({ kind, waitMs, text, resultOf }: EditedBeat): boolean =>
  kind === 'opening' || kind === 'closing' || kind === 'cta' || (waitMs !== undefined && text !== '') || resultOf !== undefined

/** Has words of its own: what came of a poll is put into words when it is known. */
export const isWritable = ({ text, resultOf }: EditedBeat): boolean => text !== '' && resultOf === undefined

/** The sentences of a slide that its author may write, part, move and leave out. */
export const told = (beats: readonly EditedBeat[]): EditedBeat[] => beats.filter((beat) => !isFixed(beat) && beat.text !== '')

export const isSilent = (beats: readonly EditedBeat[]): boolean => beats.some(({ text }) => text === '')

export function writtenScript({ slides, edits }: Pick<PresentScript, 'slides' | 'edits'>): WrittenScript {
  return { slides: slides.map(({ id, narration, cited, is_silent }) => ({ id, narration, cited, is_silent })), edits: inOrder(edits) }
}

const inOrder = (edits: readonly BeatEdit[]) => edits.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

/** An earlier text, on the slides that are there now, in their order; of a slide that it does not know nothing changes. */
export function restored(earlier: WrittenScript, present: PresentScript): WrittenScript {
  const now = writtenScript(present)
  const before = new Map(earlier.slides.map((slide) => [slide.id, slide]))
  const isThere = new Set(['', ...now.slides.map(({ id }) => id)])
  const others = now.edits.filter(({ slide_id }) => slide_id !== '' && !before.has(slide_id))
  const edits = [...earlier.edits.filter(({ slide_id }) => isThere.has(slide_id)), ...others]
  return { slides: now.slides.map((slide) => before.get(slide.id) ?? slide), edits: inOrder(edits) }
}

/** The document as it is, to be changed and sent. */
export function documentOf({
  script,
  slides,
}: Pick<PresentScript, 'script' | 'slides'>): { slideId: string; silent: boolean; sentences: EditedBeat[] }[] {
  const beatsOf = Map.groupBy(script.beats, ({ slideId }) => slideId)
  return slides.map(({ id }) => {
    const beats = beatsOf.get(id) ?? []
    return { slideId: id, silent: isSilent(beats), sentences: beats.filter(isWritable) }
  })
}

/** What the document makes of the talk; what it leaves as it is stays what it was, compiled or written. */
export function rewritten(wanted: readonly WantedSlide[], present: PresentScript): WrittenScript {
  checkSlides(wanted, present.slides)
  const beatsOf = Map.groupBy(present.script.beats, ({ slideId }) => slideId)
  const byId = new Map(present.slides.map((slide) => [slide.id, slide]))
  const pool = new Map(present.script.beats.filter((beat) => !isFixed(beat)).map((beat) => [beat.text, beat]))
  let edits = present.edits
  const slides = wanted.map((wish, index): WrittenSlide => {
    const slide = byId.get(wish.slideId.toLowerCase())
    if (slide === undefined) throw new RangeError('The slides were checked.')
    const beats = beatsOf.get(slide.id) ?? []
    const { fixed, free } = parted(wish, beats, index)
    const change = changeOf(free, { wish, index, slide, beats, pool, present })
    const next = { ...slide, ...change }
    edits = editsAfter(edits, { fixed, own: beats, slide, next, isChanged: change !== undefined, present })
    const { id, narration, cited, is_silent } = next
    return { id, narration, cited, is_silent }
  })
  return { slides, edits: inOrder(edits) }
}

/** Every slide once: a document that leaves one out says nothing about it. */
function checkSlides(wanted: readonly WantedSlide[], slides: readonly Slide[]): void {
  const left = new Set(slides.map(({ id }) => id))
  const errors = wanted.flatMap(({ slideId }, at) => {
    const id = slideId.toLowerCase()
    if (left.delete(id)) return []
    const isTwice = slides.some((slide) => slide.id === id)
    return [{ pointer: `#/slides/${at}/slideId`, detail: isTwice ? 'is there twice.' : 'is no slide of the present deck.' }]
  })
  const [first] = left
  if (errors.length === 0 && first !== undefined) {
    const detail = `send each slide of the deck once, in the order in which they are shown; missing: ${left.size}, the first is ${first}.`
    errors.push({ pointer: '#/slides', detail })
  }
  if (errors.length > 0) throw invalidInput(errors.slice(0, 20))
}

interface Parted {
  /** Sentences that keep their place, with what they are to say. */
  fixed: readonly { beat: EditedBeat; text: string }[]
  /** The others; undefined: as the rules compile them. */
  free: readonly (WantedSentence & { at: number })[] | undefined
}

function parted({ sentences, silent }: WantedSlide, beats: readonly EditedBeat[], index: number): Parted {
  if (sentences === undefined) return { fixed: [], free: silent === true ? [] : undefined }
  const open = beats.filter(isFixed)
  const fixed: { beat: EditedBeat; text: string }[] = []
  const free = sentences.flatMap((sentence, at) => {
    const beat = open.find(({ beatId }) => beatId === sentence.beatId) ?? open.find(({ text }) => text === sentence.text)
    if (beat === undefined) return [{ ...sentence, at }]
    if (sentence.text.length > beatMax) {
      const pointer = `#/slides/${index}/sentences/${at}/text`
      throw invalidInput([{ pointer, detail: `send at most ${beatMax} characters: this sentence keeps its place as one.` }])
    }
    fixed.push({ beat, text: sentence.text })
    return []
  })
  return { fixed, free: silent === true ? [] : free }
}

const beatMax = 240

interface Place {
  wish: WantedSlide
  index: number
  slide: Slide
  beats: readonly EditedBeat[]
  pool: ReadonlyMap<string, EditedBeat>
  present: PresentScript
}

/** Undefined: as it is. */
function changeOf(free: Parted['free'], place: Place): Omit<WrittenSlide, 'id'> | undefined {
  const { slide, beats, present, index, wish } = place
  const said = told(beats)
  if (free === undefined) {
    const isWritten = slide.narration !== '' || slide.is_silent === 1 || said.some(({ editedAt }) => editedAt !== undefined)
    return isWritten ? { narration: '', cited: '', is_silent: 0 } : undefined
  }
  const { stop } = languageOf(present.script.language).script
  const texts = free.map(({ text }) => stopped(text.replace(/\s+/gu, ' '), stop))
  const isSame = texts.length === said.length && texts.every((text, at) => text === said[at]?.text)
  const sources = free.map((sentence, at) => sourcesOf(sentence, texts[at] ?? '', place))
  const isCited = said.every((beat, at) => sources[at] === undefined || sources[at] === beat || isOf(sources[at].sources, beat))
  if (isSame && isCited && (wish.silent === true) === isSilent(beats)) return undefined
  if (texts.length === 0) return { narration: '', cited: '[]', is_silent: 1 }
  const narration = texts.join('\n')
  if (narration.length > limits.narration) {
    const detail = `send at most ${limits.narration.toLocaleString('en')} characters for one slide.`
    throw invalidInput([{ pointer: `#/slides/${index}/sentences`, detail }])
  }
  const cited = texts.flatMap((text, at): CitedSentence[] => {
    const { sources: found = [], region } = sources[at] ?? {}
    const own = found.map((source) => (source.id === slide.id ? { ...source, id: '', index: 0 } : source))
    const isPlain = own.every(({ id, spans }) => id === '' && spans === undefined) && region === undefined
    return isPlain ? [] : [{ text, sources: own, ...(region && { region }) }]
  })
  return { narration, cited: JSON.stringify(cited), is_silent: 0 }
}

/** What the sentence rests on: what it rested on before, or what is named. */
function sourcesOf(
  sentence: WantedSentence & { at: number },
  text: string,
  { slide, index, beats, pool, present }: Place,
): Pick<CitedSentence, 'sources' | 'region'> | undefined {
  const before = beats.find((beat) => beat.text === text) ?? beats.find(({ beatId }) => beatId === sentence.beatId) ?? pool.get(text)
  const named = sentence.sources?.map(({ type, id }, at): BeatSource => {
    const isThere = type === 'slide' ? present.slides.some((each) => each.id === id) : present.passageIds.includes(id)
    if (isThere) return { type, id, index: 0 }
    const pointer = `#/slides/${index}/sentences/${sentence.at}/sources/${at}/id`
    throw invalidInput([{ pointer, detail: type === 'slide' ? 'is no slide of the present deck.' : 'is no passage of this session.' }])
  })
  if (named !== undefined && named.length > 0 && (before === undefined || !isOf(named, before))) return { sources: named }
  // On another slide the words stand somewhere else, or nowhere.
  return before === undefined || before.slideId === slide.id ? before : { sources: before.sources }
}

/** The same places, whatever words of them. */
function isOf(sources: readonly BeatSource[], beat: Pick<EditedBeat, 'sources'>): boolean {
  const key = (each: readonly BeatSource[]) => each.map(({ type, id }) => `${type} ${id}`).join()
  return key(sources) === key(beat.sources)
}

interface Changed {
  fixed: Parted['fixed']
  /** Of the slide. */
  own: readonly EditedBeat[]
  slide: Slide
  next: Slide
  isChanged: boolean
  present: PresentScript
}

/** Sentences that keep their place are reworded there, and stay reworded when the rest of their slide is written anew. */
function editsAfter(edits: readonly BeatEdit[], { fixed, own, slide, next, isChanged, present }: Changed): readonly BeatEdit[] {
  const { beats } = present.script
  const kept = fixed.filter(({ beat, text }) => text !== beat.text || (isChanged && beat.editedAt !== undefined))
  const left = own.filter((beat) => isFixed(beat) && !fixed.some((each) => each.beat === beat))
  const also = isChanged ? left.filter(({ editedAt }) => editedAt !== undefined).map((beat) => ({ beat, text: beat.text })) : []
  if (kept.length + also.length === 0 && !isChanged) return edits
  const slide_hash = rowHash(next)
  const written = [...kept, ...also].map(({ beat, text }): BeatEdit => {
    const isNew = text !== beat.text
    return {
      ...placeOf(beats, beats.indexOf(beat)),
      slide_hash,
      text_content: text,
      edited_at: isNew ? present.now : (beat.editedAt ?? 0),
    }
  })
  const keys = new Set(written.map(keyOf))
  // What was changed in its old text is in the new one.
  const others = edits.filter((edit) => !keys.has(keyOf(edit)) && !(isChanged && edit.slide_id === slide.id))
  return [...others, ...written]
}

const keyOf = ({ slide_id, kind, ordinal }: BeatEdit): string => `${slide_id} ${kind} ${ordinal}`
