// When a recorded talk shows and says what: one list of cues, from which its sound, its pictures, its captions and its chapters are made,
// so that they cannot drift apart. Pure.
import { captionChunks } from '@rostrum/contract/captions'
import type { Box } from '@rostrum/contract/deck'
import type { SpokenClip, Talk } from '@rostrum/contract/talk'
import type { PollSoFar } from '@rostrum/contract/poll'
import { stamp, type Transcript, type TranscriptEntry, vttText } from '../runs/log/transcript.ts'

export type PollPicture = Pick<PollSoFar, 'kind' | 'question' | 'options' | 'results' | 'right'>

export interface Cue {
  /** From the beginning of the talk, in milliseconds; `untilMs` is when it has been said, the next begins a pause later. */
  fromMs: number
  untilMs: number
  slideIndex: number
  /** Empty: a slide that is shown in silence. */
  text: string
  speaker: string
  /** In the server's voice. */
  audioUrl?: string
  /** What of the picture is lit meanwhile. */
  region?: readonly Box[]
  /** What the room is asked, or what came of it, is shown over the slide. */
  poll?: PollPicture
}

/** A cue as it is drawn. */
export interface Shot extends Pick<Cue, 'fromMs' | 'untilMs' | 'slideIndex' | 'region' | 'poll'> {
  caption: string
}

export interface Chapter {
  fromMs: number
  slideIndex: number
  title: string
}

export interface Timeline {
  title: string
  cues: readonly Cue[]
  chapters: readonly Chapter[]
  totalMs: number
}

type Spoken = Omit<Cue, 'fromMs' | 'untilMs'> & { ms: number; pauseMs: number }

const presenter = 'Presenter'
/** A breath, where the script has no pause of its own. */
const breathMs = 350
/** How long a slide stands that nothing is said to. */
const silentMs = 2_500
/** A look at the bars of a poll, or at what it asks. */
const lookMs = 3_000
/** A look at the slide before it is spoken of, and at the last one. */
const leadMs = 600

/** The script as a room that nobody interrupts would hear it. */
export function scriptTimeline(title: string, talk: Talk): Timeline {
  // Nobody has answered yet: what is asked is shown for a while.
  const told = talk.beats.flatMap((beat): Spoken[] => {
    if (beat.resultOf !== undefined) return []
    const clip = talk.clipOf?.(beat.beatId)
    const poll = beat.poll && { kind: beat.poll.kind, question: beat.poll.question, options: beat.poll.options ?? [] }
    const pauseMs = (beat.pauseMs ?? breathMs) + (poll ? lookMs : (beat.waitMs ?? 0))
    const place = { ...(beat.at?.region && { region: beat.at.region }), ...(poll && { poll }) }
    const said = { slideIndex: beat.slideIndex, text: beat.text, speaker: presenter, ...place }
    if (beat.text === '') return [{ ...said, ms: Math.max(beat.estMs, silentMs), pauseMs: 0 }]
    return [{ ...said, ms: clip?.ms ?? beat.estMs, pauseMs, ...(clip && { audioUrl: clip.url }) }]
  })
  return placed(title, talk, told)
}

/** Reading time of what was written, or whose end the log does not know. */
const msPerCharacter = 60

/** What was said in a run, without what nobody did: waits are a breath long. Questions are shown without the names of who asked. */
export function runTimeline({ title, entries }: Transcript, talk: Talk, clips: ReadonlyMap<string, SpokenClip> = new Map()): Timeline {
  return placed(
    title,
    talk,
    entries.flatMap((entry, at) => {
      const before = entries[at - 1]
      // Results are shown while they are said, or for a look where nobody says them.
      if (entry.poll !== undefined && entries[at + 1]?.type !== 'narration') return lookedAt(entry)
      const poll = entry.type === 'narration' ? before?.poll : undefined
      return spokenOf(entry, clips).map((spoken) => (poll === undefined ? spoken : { ...spoken, poll, pauseMs: lookMs }))
    }),
  )
}

function lookedAt({ poll, slideIndex, speaker }: TranscriptEntry): Spoken[] {
  return poll === undefined ? [] : [{ slideIndex: slideIndex ?? 0, text: '', speaker, ms: lookMs, pauseMs: 0, poll }]
}

/** What the presenter answered aloud, sentence by sentence. */
export function answersIn({ entries }: Transcript): string[] {
  return [...new Set(entries.flatMap((entry) => (entry.type === 'answer' ? sentencesOf(entry) : [])))]
}

const sentencesOf = (entry: TranscriptEntry): string[] =>
  entry.private === true ? [] : (entry.sentences ?? [entry]).map(({ text }) => text)

function spokenOf(entry: TranscriptEntry, clips: ReadonlyMap<string, SpokenClip>): Spoken[] {
  const { type, text, speaker, slideIndex, audioUrl, audioMs, region } = entry
  const told = { slideIndex: slideIndex ?? 0, pauseMs: breathMs }
  const readMs = (words: string) => Math.max(1_200, words.length * msPerCharacter)
  if (type === 'question') return [{ ...told, text: `\u2013 ${text}`, speaker: 'Question', ms: readMs(text) }]
  if (type === 'answer')
    return sentencesOf(entry).map((sentence) => {
      const clip = clips.get(sentence)
      return { ...told, text: sentence, speaker, ms: clip?.ms ?? readMs(sentence), ...(clip && { audioUrl: clip.url }) }
    })
  if (type !== 'narration') return []
  const heardMs = entry.endOffsetMs === undefined ? readMs(text) : entry.endOffsetMs - entry.offsetMs
  const clip = audioUrl === undefined ? {} : { audioUrl }
  return [{ ...told, text, speaker, ms: audioMs ?? Math.max(300, Math.min(heardMs, 2 * readMs(text))), ...clip, ...(region && { region }) }]
}

/** One after the other; slides between two that are spoken of are shown in passing. */
function placed(title: string, { slides }: Talk, told: readonly Spoken[]): Timeline {
  const cues: Cue[] = []
  const chapters: Chapter[] = []
  let atMs = 0
  let shown = -1
  const show = (slideIndex: number) => {
    if (slideIndex === shown) return
    chapters.push({ fromMs: chapters.length === 0 ? 0 : atMs, slideIndex, title: slides[slideIndex]?.title || `${slideIndex + 1}` })
    atMs += leadMs
    shown = slideIndex
  }
  for (const { ms, pauseMs, ...cue } of told) {
    show(cue.slideIndex)
    cues.push({ ...cue, fromMs: atMs, untilMs: atMs + ms })
    atMs += ms + pauseMs
  }
  return { title, cues, chapters, totalMs: atMs + leadMs }
}

export interface Caption extends Pick<Cue, 'fromMs' | 'untilMs' | 'text' | 'speaker'> {
  cue: Cue
}

/** How long a voice takes, in letters: a figure is a word, a mark a rest. Of long sentences nine parts in ten begin within 0.4 s so. */
const spokenLength = (text: string) =>
  text.length + 3 * (text.match(/[\d,;:.!?]/gu)?.length ?? 0) + 0.3 * (text.match(/\p{Lu}/gu)?.length ?? 0)

/** At most two lines each, by the share of the sentence that they take to say. */
export function captionsOf({ cues }: Pick<Timeline, 'cues'>): Caption[] {
  return cues.flatMap((cue) => {
    const { fromMs, untilMs, text, speaker } = cue
    const whole = spokenLength(text)
    const at = (character: number) => Math.round(fromMs + ((untilMs - fromMs) * spokenLength(text.slice(0, character))) / whole)
    return captionChunks(text).map((chunk) => ({ fromMs: at(chunk.start), untilMs: at(chunk.end), text: chunk.text, speaker, cue }))
  })
}

/** What is to be seen when. A caption stays until the next one, or until the slide goes. */
export function shotsOf(timeline: Timeline, { burnsCaptions, lightsWords }: { burnsCaptions: boolean; lightsWords: boolean }): Shot[] {
  const { chapters, totalMs } = timeline
  const captions = captionsOf(timeline).filter(({ text }) => text !== '')
  const starts = [
    ...chapters.map(({ fromMs, slideIndex }) => ({ fromMs, slideIndex, caption: '' })),
    ...captions.map(({ fromMs, text, cue }) => ({
      fromMs,
      slideIndex: cue.slideIndex,
      caption: burnsCaptions ? text : '',
      ...(lightsWords && cue.region && { region: cue.region }),
      ...(cue.poll && { poll: cue.poll }),
    })),
    ...timeline.cues.flatMap(({ fromMs, slideIndex, poll, text }) =>
      poll && text === '' ? [{ fromMs, slideIndex, caption: '', poll }] : [],
    ),
  ].toSorted((a, b) => a.fromMs - b.fromMs)
  return starts.flatMap((start, at) => {
    const untilMs = starts[at + 1]?.fromMs ?? totalMs
    return untilMs > start.fromMs ? [{ ...start, untilMs }] : []
  })
}

const comma = (ms: number) => stamp(ms).replace('.', ',')

export function toSrt(timeline: Timeline): string {
  return captionsOf(timeline)
    .map(({ fromMs, untilMs, text }, at) => `${at + 1}\n${comma(fromMs)} --> ${comma(untilMs)}\n${text.replaceAll('-->', '->')}\n`)
    .join('\n')
}

export function toVtt(captions: readonly Pick<Caption, 'fromMs' | 'untilMs' | 'text' | 'speaker'>[]): string {
  const cues = captions.map(
    ({ fromMs, untilMs, text, speaker }) => `${stamp(fromMs)} --> ${stamp(untilMs)}\n<v ${vttText(speaker)}>${vttText(text)}\n`,
  )
  return ['WEBVTT', '', ...cues].join('\n')
}
