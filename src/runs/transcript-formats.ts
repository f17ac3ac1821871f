// A transcript as WebVTT (spoken pieces with the speaker as voice) and as Markdown by slide.
import type { Transcript, TranscriptEntry } from './transcript.ts'

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

function stamp(ms: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const seconds = Math.floor(ms / 1_000)
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(ms % 1_000).padStart(3, '0')}`
}

/** No tags and no line that could end a cue. */
const vttText = (text: string): string =>
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
      case 'state':
    }
  }
  return `${lines.join('\n').trimEnd()}\n`
}

/** Text of strangers opens no heading, link, image or HTML. */
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>#|!]/g, (mark) => `\\${mark}`)
