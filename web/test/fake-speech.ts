// An engine of speech that behaves as told, put into the page before its script: headless Chromium has no voices of its own. It keeps
// what was asked of it, with the times of the page's clock, and knows at any time which character it is saying.

export interface FakeEngine {
  /** `missing`: there is no engine at all. Otherwise the milliseconds after which its voices are listed; null: it never has any. */
  voicesAfterMs: number | null | 'missing'
  /** How many times as long as estimated it takes for a sentence. */
  pace: number
  /** Milliseconds from `speak()` to `start`; null: it never starts. */
  startsAfterMs: number | null
  /** Tells each word with `boundary`. */
  bounded: boolean
  /** Falls silent, without any event, after so much speech in one utterance. */
  silentAfterMs: number
  /** `never`: it says everything and fires no `end`. */
  ends: 'always' | 'never'
}

export const goodEngine: FakeEngine = {
  voicesAfterMs: 0,
  pace: 1,
  startsAfterMs: 20,
  bounded: true,
  silentAfterMs: Infinity,
  ends: 'always',
}

/** One utterance as the engine had it. Times are of the page's clock; null where it did not come to that. */
export interface FakeUtterance {
  text: string
  startedAt: number | null
  /** What it takes for the whole text. */
  wholeMs: number
  endedAt: number | null
  cancelledAt: number | null
}

/** What the page keeps in `window.heard`. */
export interface Heard {
  utterances: FakeUtterance[]
  /** Changes of the caption. */
  captions: { at: number; text: string }[]
}

export const fakeSpeech = (engine: FakeEngine): string =>
  `(${install.toString()})(${JSON.stringify({
    ...engine,
    silentAfterMs: Number.isFinite(engine.silentAfterMs) ? engine.silentAfterMs : null,
  })})`

/** Runs in the page: it sees nothing of this file. */
function install(engine: Omit<FakeEngine, 'silentAfterMs'> & { silentAfterMs: number | null }): void {
  interface Spoken {
    text: string
    rate: number
    onstart?: (event: object) => void
    onboundary?: (event: object) => void
    onend?: (event: object) => void
    onerror?: (event: object) => void
  }
  const heard: Heard = { utterances: [], captions: [] }
  let current: { spoken: Spoken; kept: FakeUtterance } | null = null
  const begunAt = performance.now()
  const voices = () =>
    typeof engine.voicesAfterMs === 'number' && performance.now() - begunAt >= engine.voicesAfterMs
      ? [{ lang: 'en-US', name: 'Test', localService: true, default: true }]
      : []
  const listeners: (() => void)[] = []
  const synth = {
    onvoiceschanged: null as (() => void) | null,
    addEventListener: (_: string, listener: () => void) => void listeners.push(listener),
    getVoices: voices,
    cancel() {
      if (current === null) return
      const { spoken, kept } = current
      current = null
      kept.cancelledAt = performance.now()
      if (kept.startedAt !== null) setTimeout(() => spoken.onerror?.({ error: 'interrupted' }), 5)
    },
    speak(spoken: Spoken) {
      if (spoken.text === '') return
      // The estimate of the talk: 150 words a minute and a stop.
      const wholeMs = (engine.pace * (spoken.text.split(/\s+/).length * 400 + 350)) / spoken.rate
      const kept: FakeUtterance = { text: spoken.text, startedAt: null, wholeMs, endedAt: null, cancelledAt: null }
      const mine = { spoken, kept }
      current = mine
      heard.utterances.push(kept)
      const later = (ms: number, fn: () => void) => setTimeout(() => current === mine && fn(), ms)
      const isHeard = (ms: number) => engine.silentAfterMs === null || ms < engine.silentAfterMs
      // Without a voice nothing is ever said.
      if (engine.startsAfterMs === null || voices().length === 0) return
      later(engine.startsAfterMs, () => {
        kept.startedAt = performance.now()
        spoken.onstart?.({})
        for (const match of engine.bounded ? spoken.text.matchAll(/\S+/g) : []) {
          const at = (match.index / spoken.text.length) * wholeMs
          if (isHeard(at)) later(at, () => spoken.onboundary?.({ charIndex: match.index, name: 'word' }))
        }
        if (!isHeard(wholeMs)) return
        later(wholeMs, () => {
          kept.endedAt = performance.now()
          if (engine.ends === 'never') return
          current = null
          spoken.onend?.({})
        })
      })
    },
  }
  if (typeof engine.voicesAfterMs === 'number')
    setTimeout(() => {
      synth.onvoiceschanged?.()
      for (const listener of listeners) listener()
    }, engine.voicesAfterMs)
  const own = (name: string, value: unknown) => Object.defineProperty(window, name, { value, configurable: true })
  if (engine.voicesAfterMs === 'missing') {
    own('speechSynthesis', undefined)
    own('SpeechSynthesisUtterance', undefined)
  } else {
    own('speechSynthesis', synth)
    own(
      'SpeechSynthesisUtterance',
      class {
        rate = 1
        text: string
        constructor(text: string) {
          this.text = text
        }
      },
    )
  }
  own('heard', heard)
  new MutationObserver(() => {
    const text = document.querySelector('[data-testid=caption]')?.textContent ?? ''
    if (text !== heard.captions.at(-1)?.text) heard.captions.push({ at: performance.now(), text })
  }).observe(document, { subtree: true, childList: true, characterData: true })
}
