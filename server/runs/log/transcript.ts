// What was said and asked in a run, read from its log: the entries behind the JSON, VTT and Markdown transcripts. Private events of
// attendees are part of it, hosts' notes and traces are not.
import { z } from 'zod'
import { citation } from '@rostrum/contract/answer'
import { placeOnSlide } from '@rostrum/contract/deck'
import { pollAsked, pollResults } from '@rostrum/contract/poll'
import { resultText } from '@rostrum/contract/poll-rows'
import type { EventData, RunEvent } from '@rostrum/contract/room'
import type { Reader } from '../../platform/db/store.ts'
import type { RunRow } from '../tables.ts'
import { readLog } from './run-log.ts'

/** One entry as it is sent; the search shows the same. */
export const transcriptEntry = z.object({
  /** Of the event in the log that it begins with. */
  seq: z.number(),
  at: z.string(),
  /** From the start of the run. */
  offsetMs: z.number(),
  type: z.enum(['narration', 'question', 'answer', 'slide', 'state', 'poll']),
  slideIndex: z.number().nullable(),
  speaker: z.string(),
  text: z.string(),
  /** When it was over, where that is known. */
  endOffsetMs: z.number().optional(),
  slide: z.object({ id: z.string(), text: z.string(), imageUrl: z.string().nullable() }).optional(),
  questionId: z.string().optional(),
  sentences: z.array(z.object({ offsetMs: z.number(), text: z.string(), citations: z.array(citation).optional() })).optional(),
  audioUrl: z.string().optional(),
  audioMs: z.number().optional(),
  ...placeOnSlide,
  /** What the room was asked, and what came of it. */
  poll: z.object({ ...pollAsked, results: z.object(pollResults), right: z.number().exactOptional() }).optional(),
  citations: z.array(citation).optional(),
  /** A written copy for the asker alone, while the question waited in the queue. */
  private: z.boolean().optional(),
})

export type TranscriptEntry = Omit<z.output<typeof transcriptEntry>, 'at'> & { at: number }

export interface Transcript {
  runId: string
  sessionId: string
  title: string
  kind: 'live' | 'rehearsal'
  startedAt: number | null
  entries: TranscriptEntry[]
}

const hostName = 'Host'

/** `names`: attendees by id, as they gave their names. */
function transcriptOf(
  run: Omit<Transcript, 'entries'>,
  events: readonly RunEvent[],
  names: ReadonlyMap<string, string>,
  presenterName = 'Presenter',
): Transcript {
  const from = run.startedAt ?? events[0]?.at ?? 0
  const entries: TranscriptEntry[] = []
  const asked = new Set<string>()
  let slideIndex: number | null = null
  let beat: TranscriptEntry | null = null
  const answers = new Map<string, TranscriptEntry>()
  const add = ({ seq, at }: RunEvent, entry: Omit<TranscriptEntry, 'seq' | 'at' | 'offsetMs' | 'slideIndex'>): TranscriptEntry => {
    const whole = { seq, at, offsetMs: Math.max(0, at - from), slideIndex, ...entry }
    entries.push(whole)
    return whole
  }
  for (const event of events) {
    const { at } = event
    switch (event.type) {
      case 'slide':
        slideIndex = event.data.index
        add(event, {
          type: 'slide',
          speaker: presenterName,
          text: event.data.title,
          slide: { id: event.data.slideId, text: event.data.text, imageUrl: event.data.imageUrl },
        })
        break
      case 'beat':
        if (event.data.phase === 'start') {
          const { text = '', audioUrl, audioMs, region, spans } = event.data
          const clip = audioUrl === undefined || audioMs === undefined ? {} : { audioUrl, audioMs }
          const place = { ...(region && { region }), ...(spans && { spans }) }
          beat = add(event, { type: 'narration', speaker: presenterName, text, ...clip, ...place })
        } else if (beat !== null) {
          beat.endOffsetMs = Math.max(beat.offsetMs, at - from)
          if (event.data.phase === 'cut') {
            beat.text = said(beat.text, event.data.spokenChars)
            delete beat.audioUrl
            delete beat.audioMs
          }
          beat = null
        }
        break
      case 'question':
        if (asked.has(event.data.questionId)) break
        asked.add(event.data.questionId)
        add(event, {
          type: 'question',
          speaker: names.get(event.data.by.attendeeId) ?? 'Attendee',
          text: event.data.text,
          questionId: event.data.questionId,
        })
        break
      case 'answer': {
        const { answerId, questionId, phase, instant } = event.data
        const given =
          answers.get(answerId) ??
          add(event, { type: 'answer', speaker: presenterName, text: '', questionId, ...(instant ? { private: instant } : {}) })
        answers.set(answerId, given)
        if (phase === 'sentence') addSentence(given, event.data, at - from)
        else if (phase !== 'start') endAnswer(given, event.data, at - from, presenterName)
        break
      }
      case 'poll': {
        const { pollId, kind, question, options, quiz, results, right } = event.data
        if (results === undefined) break
        const poll = {
          pollId,
          slideIndex: event.data.slideIndex,
          kind,
          question,
          options,
          ...(quiz && { quiz }),
          results,
          ...(right !== undefined && { right }),
        }
        const text = `${question} ${resultText(poll)}`
        // Shown while answers still came, or with a word fewer: the last is what came of it.
        const known = entries.find((entry) => entry.poll?.pollId === pollId)
        if (known === undefined) add(event, { type: 'poll', speaker: presenterName, text, poll })
        else Object.assign(known, { text, poll })
        break
      }
      case 'said':
        add(event, { type: 'narration', speaker: hostName, text: event.data.text }).endOffsetMs = at - from + event.data.estMs
        break
      case 'heard': {
        const next = answers.get(event.data.answerId)?.sentences?.[event.data.index + 1]
        if (next !== undefined) next.offsetMs = Math.max(0, at - from)
        break
      }
      case 'state':
        if (event.data.status !== event.data.previous) add(event, { type: 'state', speaker: presenterName, text: event.data.status })
        break
      default:
    }
  }
  return { ...run, entries: entries.filter((entry) => entry.text !== '') }
}

/** A sentence is said when the one before it was heard, which `heard` tells; the first as soon as it is there. */
function addSentence(given: TranscriptEntry, { text = '', citations = [] }: EventData<'answer'>, offsetMs: number): void {
  const cited = citations.length === 0 ? {} : { citations: [...citations] }
  given.sentences = [...(given.sentences ?? []), { offsetMs: Math.max(0, offsetMs), text, ...cited }]
}

function endAnswer(
  given: TranscriptEntry,
  { text = '', mode, citations }: EventData<'answer'>,
  offsetMs: number,
  presenterName: string,
): void {
  given.text = text
  given.speaker = mode === 'human' ? hostName : presenterName
  if (citations !== undefined) given.citations = [...citations]
  if (given.private !== true) given.endOffsetMs = Math.max(given.offsetMs, offsetMs)
}

/** What was heard of a sentence that was cut. */
function said(text: string, chars: number | undefined): string {
  if (chars === undefined || chars >= text.length) return text
  const heard = text.slice(0, chars).trimEnd()
  return heard === '' ? '' : `${heard} ...`
}

// A transcript as WebVTT (spoken pieces with the speaker as voice) and as Markdown by slide.

/** Questions are written; they are read like a sentence. A private copy of an answer was never in the air. */
const isCue = (entry: TranscriptEntry): boolean =>
  entry.type === 'narration' || entry.type === 'question' || (entry.type === 'answer' && entry.private !== true)
/** Reading time of a piece whose end is not in the log. */
const msPerCharacter = 60

export function toVtt({ title, kind, entries }: Transcript): string {
  // A question may be written while somebody speaks: it ends no sentence.
  const shown = entries.filter(isCue)
  const next = { question: Infinity, voice: Infinity }
  const ends = new Map(
    shown.toReversed().map((entry) => {
      const lane = entry.type === 'question' ? 'question' : 'voice'
      const end = next[lane]
      next[lane] = entry.offsetMs
      return [entry, end] as const
    }),
  )
  const cues = shown.map((entry) => {
    const until = entry.endOffsetMs ?? entry.offsetMs + Math.max(1_000, entry.text.length * msPerCharacter)
    const end = Math.max(entry.offsetMs + 1, Math.min(until, ends.get(entry) ?? Infinity))
    return `${stamp(entry.offsetMs)} --> ${stamp(end)}\n<v ${vttText(entry.speaker)}>${vttText(entry.text)}\n`
  })
  return ['WEBVTT', '', `NOTE ${vttText(title)}${kind === 'rehearsal' ? ' (rehearsal)' : ''}`, '', ...cues].join('\n')
}

export function stamp(ms: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const seconds = Math.floor(ms / 1_000)
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(ms % 1_000).padStart(3, '0')}`
}

/** No tags and no line that could end a cue. */
export const vttText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/(?<!\s)\s*\n\s*/g, ' ')

export function toMarkdown({ title, kind, startedAt, entries }: Transcript): string {
  const lines = [`# ${plain(title)}`, '']
  if (kind === 'rehearsal') lines.push('**Rehearsal.** Nothing here was counted or sent.', '')
  if (startedAt !== null) lines.push(new Date(startedAt).toISOString(), '')
  for (const entry of entries) {
    switch (entry.type) {
      case 'slide':
        lines.push(`## ${(entry.slideIndex ?? 0) + 1}. ${plain(entry.text)}`, '')
        break
      case 'narration':
        lines.push(plain(entry.text), '')
        break
      case 'question':
        lines.push(`> **${plain(entry.speaker)}:** ${plain(entry.text)}`, '')
        break
      case 'answer':
        lines.push(`**${plain(entry.speaker)}:** ${plain(entry.text)}`, '')
        break
      case 'poll':
        lines.push(`**Poll:** ${plain(entry.text)}`, '')
        break
      case 'state':
    }
  }
  return `${lines.join('\n').trimEnd()}\n`
}

/** Text of strangers opens no heading, link, image or HTML. */
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>#|!]/g, (mark) => `\\${mark}`)

// Reads the transcript of a run from its log, for whoever may see the run: the transcript itself, and the search over many.

export async function readTranscript(
  read: Reader,
  run: Pick<RunRow, 'id' | 'kind' | 'started_at'>,
  session: { id: string; title: string; presenter_name?: string | null },
): Promise<Transcript> {
  const attendees = await read
    .selectFrom('attendees')
    .select(['id', 'name'])
    .where('run_id', '=', run.id)
    .where('name', 'is not', null)
    .execute()
  const names = new Map(attendees.map(({ id, name }) => [id, name ?? '']))
  const head = { runId: run.id, sessionId: session.id, title: session.title, kind: run.kind, startedAt: run.started_at }
  return transcriptOf(head, await readLog(read, run.id), names, session.presenter_name ?? undefined)
}
