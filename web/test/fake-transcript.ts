// The transcript of a held run for the fake API, and the search over it: a talk of seven slides with one question answered on the way.
import type { Transcript, TranscriptEntry, TranscriptMatch } from '../src/dashboard/replay/transcript-wire.ts'
import { fakeDeck, fakeScript, sessionId } from './fake-data.ts'

const started = Date.UTC(2026, 10, 19, 9)
const sentenceMs = 4_000

export function fakeTranscript(runId: string): Transcript {
  const { slides } = fakeDeck(sessionId)
  const entries: TranscriptEntry[] = []
  let offsetMs = 0
  const add = (entry: Omit<TranscriptEntry, 'seq' | 'at' | 'offsetMs'>) =>
    entries.push({ seq: entries.length + 1, at: new Date(started + offsetMs).toISOString(), offsetMs, ...entry })
  for (const { slideIndex, index, text } of fakeScript()) {
    const slide = slides[slideIndex]
    const here = { slideIndex, speaker: 'Presenter' }
    if (index === 0 && slide !== undefined) {
      const { id, title, textContent, imageUrl = null } = slide
      add({ ...here, type: 'slide', text: title, slide: { id, text: textContent, imageUrl } })
    }
    add({ ...here, type: 'narration', text, endOffsetMs: offsetMs + sentenceMs - 300 })
    if (slideIndex === 3 && index === 1) {
      add({ ...here, type: 'question', speaker: 'Maya', text: 'What does it cost per kWh?', questionId: 'q1' })
      add({ ...here, type: 'answer', text: 'Slide 4 says: "EUR 412 per kWh".', questionId: 'q1', private: true })
      offsetMs += sentenceMs
      const said = ['Slide 4 says: "EUR 412 per kWh installed in 2026".', 'That is down from EUR 690 in 2021.']
      const region = [[0.1, 0.3, 0.5, 0.1] as const]
      const cite = (index: number, quote: string) =>
        ({
          n: 1,
          type: 'slide',
          id: slides[index]?.id ?? '',
          index,
          title: slides[index]?.title ?? '',
          quote,
          start: 0,
          end: 9,
          region,
        }) as const
      const cited = [3, 1].map((index, at) => cite(index, said[at] ?? ''))
      const sentences = said.map((sentence, at) => ({
        offsetMs: offsetMs + at * 3_000,
        text: sentence,
        citations: cited.slice(at, at + 1),
      }))
      add({ ...here, type: 'answer', text: said.join(' '), questionId: 'q1', sentences, endOffsetMs: offsetMs + 6_000 })
      offsetMs += 6_000
    }
    offsetMs += sentenceMs
  }
  return { runId, sessionId, kind: 'live', title: 'Grid storage in 12 minutes', startedAt: new Date(started).toISOString(), entries }
}

export function fakeMatches(runId: string, words: string): { matches: TranscriptMatch[]; count: number } {
  const { entries, startedAt } = fakeTranscript(runId)
  const matches = entries.flatMap((entry) => {
    const start = entry.text.toLowerCase().indexOf(words.toLowerCase())
    return start < 0 ? [] : [{ ...entry, runId, startedAt, start, end: start + words.length }]
  })
  return { matches, count: matches.length }
}
