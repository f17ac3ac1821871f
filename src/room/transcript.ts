// What was said and asked in a run, read from its log: the entries behind the JSON, VTT and Markdown transcripts. Private events of
// attendees are part of it, hosts' notes and traces are not.
import type { Citation, RunEvent } from './run-event.ts'

export interface TranscriptEntry {
  at: number
  /** From the start of the run. */
  offsetMs: number
  /** When it was over, where that is known. */
  endOffsetMs?: number
  type: 'narration' | 'question' | 'answer' | 'slide' | 'state'
  slideIndex: number | null
  speaker: string
  text: string
  citations?: readonly Citation[]
}

export interface Transcript {
  runId: string
  sessionId: string
  title: string
  kind: 'live' | 'rehearsal'
  startedAt: number | null
  entries: TranscriptEntry[]
}

export const presenterName = 'Presenter'
const hostName = 'Host'

/** `names`: attendees by id, as they gave their names. */
export function transcriptOf(
  run: Omit<Transcript, 'entries'>,
  events: readonly RunEvent[],
  names: ReadonlyMap<string, string>,
): Transcript {
  const from = run.startedAt ?? events[0]?.at ?? 0
  const entries: TranscriptEntry[] = []
  const asked = new Set<string>()
  let slideIndex: number | null = null
  let beat: TranscriptEntry | null = null
  const add = (at: number, entry: Omit<TranscriptEntry, 'at' | 'offsetMs' | 'slideIndex'>): TranscriptEntry => {
    const whole = { at, offsetMs: Math.max(0, at - from), slideIndex, ...entry }
    entries.push(whole)
    return whole
  }
  for (const event of events) {
    const { at } = event
    switch (event.type) {
      case 'slide':
        slideIndex = event.data.index
        add(at, { type: 'slide', speaker: presenterName, text: event.data.title })
        break
      case 'beat':
        if (event.data.phase === 'start') beat = add(at, { type: 'narration', speaker: presenterName, text: event.data.text ?? '' })
        else if (beat !== null) {
          beat.endOffsetMs = Math.max(beat.offsetMs, at - from)
          if (event.data.phase === 'cut') beat.text = said(beat.text, event.data.spokenChars)
          beat = null
        }
        break
      case 'question':
        if (asked.has(event.data.questionId)) break
        asked.add(event.data.questionId)
        add(at, { type: 'question', speaker: names.get(event.data.by.attendeeId) ?? 'Attendee', text: event.data.text })
        break
      case 'answer': {
        if (event.data.phase !== 'end' && event.data.phase !== 'cut') break
        const { text = '', mode, citations } = event.data
        if (text === '') break
        add(at, {
          type: 'answer',
          speaker: mode === 'human' ? hostName : presenterName,
          text,
          ...(citations === undefined ? {} : { citations }),
        })
        break
      }
      case 'state':
        if (event.data.status !== event.data.previous) add(at, { type: 'state', speaker: presenterName, text: event.data.status })
        break
      default:
    }
  }
  return { ...run, entries: entries.filter((entry) => entry.text !== '') }
}

/** What was heard of a sentence that was cut. */
function said(text: string, chars: number | undefined): string {
  if (chars === undefined || chars >= text.length) return text
  const heard = text.slice(0, chars).trimEnd()
  return heard === '' ? '' : `${heard} ...`
}
