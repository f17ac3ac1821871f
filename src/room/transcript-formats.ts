// A transcript as WebVTT (spoken pieces with the speaker as voice) and as Markdown by slide.
import type { Transcript, TranscriptEntry } from './transcript.ts'

const isSpoken = ({ type }: TranscriptEntry): boolean => type === 'narration' || type === 'answer' || type === 'question'
/** Reading time of a piece whose end is not in the log. */
const msPerCharacter = 60

export function toVtt({ title, kind, entries }: Transcript): string {
  const spoken = entries.filter(isSpoken)
  const cues = spoken.map((entry, at) => {
    const next = spoken[at + 1]?.offsetMs ?? Infinity
    const until = entry.endOffsetMs ?? entry.offsetMs + Math.max(1_000, entry.text.length * msPerCharacter)
    const end = Math.max(entry.offsetMs + 1, Math.min(until, next))
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
    .replaceAll(/\s*\n\s*/g, ' ')

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
