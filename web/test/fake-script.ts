// The script of the fake API as a document: its beats slide by slide, with something to look at on the fourth.
import type { Beat, ScriptAnswer, Slide } from '../src/dashboard/data/wire.ts'

export function fakeDocument(beats: readonly Beat[], slides: readonly Slide[]): Omit<ScriptAnswer, 'tag'> {
  const own = (id: string) => beats.filter(({ slideId }) => slideId === id)
  const found = beats.filter(({ slideIndex, kind }) => slideIndex === 3 && kind !== 'title').slice(0, 2)
  return {
    deckId: 'd1',
    droppedBeats: 0,
    warnings: [],
    compiledAt: '2026-11-20T12:00:00.000Z',
    language: 'en',
    totalMs: beats.reduce((sum, { estMs }) => sum + estMs, 0),
    slides: slides.map(({ id, title }, index) => ({
      slideId: id,
      index,
      title,
      seconds: Math.round(own(id).reduce((sum, { estMs }) => sum + estMs, 0) / 100) / 10,
      sentences: own(id).map(({ beatId, text, sources }, at) => ({
        beatId,
        text,
        sources,
        from: 'rules' as const,
        ...(index === 0 && at === 0 && { fixed: true as const, opening: true as const }),
      })),
    })),
    findings: found.map(({ beatId, text, slideIndex }, at) => ({
      code: at === 0 ? ('furniture' as const) : ('verbatim_bullet' as const),
      slideIndex,
      beatId,
      text,
      detail: at === 0 ? 'This belongs to the layout of the page, not to the talk.' : 'A point is read out as it stands on the slide.',
      ...(at === 0 && { fix: null }),
    })),
    beats: [...beats],
    hasModel: false,
  }
}

/** What is written stands where it is sent; of the rest nothing changes. */
export function fakeWritten(beats: readonly Beat[], slides: readonly { slideId: string; sentences?: { text: string }[] }[]): Beat[] {
  const model = beats[0]
  return slides.flatMap(({ slideId, sentences }, slideIndex) => {
    const own = beats.filter((beat) => beat.slideId === slideId)
    if (sentences === undefined || model === undefined) return own
    return sentences.map(({ text }, index) => {
      const same = own.find((beat) => beat.text === text)
      return { ...model, ...same, beatId: `${slideId}.${index}`, slideId, slideIndex, index, text }
    })
  })
}
