// What a listener would stumble over in the text as it stands: of the saved one the server has said it, of what is being written it is
// asked once the typing rests.
import { useEffect, useState } from 'preact/hooks'
import { webClock } from '../../ui/clock.ts'
import { lintOf } from '../deck/deck-acts.ts'
import type { ScriptFinding } from '../data/wire.ts'
import { findingsIn, linesOf, type ScriptText, textOf } from './script-text.ts'
import type { Editing } from './use-script.ts'

const restMs = 400

export function useFindings(sessionId: string, { script, base, isChanged }: Editing): ReturnType<typeof findingsIn> {
  const [looked, setLooked] = useState<{ script: ScriptText; findings: readonly ScriptFinding[] } | null>(null)
  useEffect(() => {
    if (!isChanged) return setLooked(null)
    const abort = new AbortController()
    const cancel = webClock.after(restMs, () => {
      const slides = script.map(({ slideId, before, text, after }) => ({
        slideId,
        sentences: [...before.map((line) => line.text), ...linesOf(text), ...after.map((line) => line.text)],
      }))
      // Findings go with their slides, wherever these have been moved: the server counts them as the deck does.
      const inDeck = textOf(base.slides).flatMap(({ slideId }) => script.find((slide) => slide.slideId === slideId) ?? [])
      lintOf(sessionId, slides, abort.signal)
        .then(({ findings }) => setLooked({ script: inDeck, findings }))
        .catch(() => undefined)
    })
    return () => {
      cancel()
      abort.abort()
    }
  }, [script, isChanged])
  // What was looked at before the last letters holds for every sentence that stands as it stood.
  const found =
    looked === null ? findingsIn(script, textOf(base.slides), base.findings) : findingsIn(script, looked.script, looked.findings)
  return found.filter(({ at }) => script[at]?.isCompiled !== true)
}
