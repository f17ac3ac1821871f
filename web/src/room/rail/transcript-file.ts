// The transcript as a file of the attendee's own: Markdown by slide, and WebVTT from the times at which sentences were said.
import type { RoomState } from '../stream/state.ts'
import { estimateMs } from '../voice/estimate.ts'

/** Hands the file to the browser. */
export function saveTranscript(kind: 'md' | 'vtt', room: { slug: string; title: string }, state: RoomState): void {
  const text = kind === 'md' ? transcriptMarkdown(room.title, state) : transcriptVtt(state)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: kind === 'md' ? 'text/markdown' : 'text/vtt' }))
  link.download = `${room.slug}.${kind}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
}

export function transcriptMarkdown(title: string, room: Pick<RoomState, 'lines' | 'slides' | 'questions'>): string {
  const parts = [`# ${title}`]
  let slide = -1
  let question: string | null | undefined
  for (const line of room.lines) {
    if (line.kind === 'beat' && line.slideIndex !== slide) {
      slide = line.slideIndex
      parts.push(`## ${slide + 1}. ${room.slides[slide]?.title ?? ''}`.trimEnd())
    }
    if (line.kind === 'answer' && line.questionId !== question) {
      question = line.questionId
      const asked = room.questions.find((each) => each.questionId === question)
      if (asked) parts.push(`> ${asked.text.replaceAll('\n', '\n> ')}`)
    }
    if (line.kind === 'beat') question = undefined
    parts.push(line.text)
  }
  return `${parts.join('\n\n')}\n`
}

/** Cues run to the next sentence or for the sentence's own time, whichever is shorter. */
export function transcriptVtt(room: Pick<RoomState, 'lines' | 'speed'>): string {
  const timed = room.lines.flatMap((line) =>
    line.at === null || line.text === '' ? [] : [{ text: line.text, at: line.at, by: line.kind === 'host' ? 'Host' : 'Presenter' }],
  )
  const first = timed[0]?.at ?? 0
  const cues = timed.map((line, index) => {
    const next = timed[index + 1]?.at ?? Infinity
    const end = Math.max(line.at + 1, Math.min(next, line.at + estimateMs(line.text, room.speed)))
    return `${stamp(line.at - first)} --> ${stamp(end - first)}\n<v ${line.by}>${escapeCue(line.text)}`
  })
  return `WEBVTT\n\n${cues.join('\n\n')}\n`
}

function stamp(ms: number): string {
  const pad = (value: number, width: number) => String(Math.floor(value)).padStart(width, '0')
  return `${pad(ms / 3_600_000, 2)}:${pad((ms / 60_000) % 60, 2)}:${pad((ms / 1_000) % 60, 2)}.${pad(ms % 1_000, 3)}`
}

function escapeCue(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', ' ')
}
