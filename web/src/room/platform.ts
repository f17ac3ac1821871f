// What the room needs of the browser, in one place, so that tests hand in their own: time, requests, storage, voices.
import type { WebClock } from '../ui/clock.ts'
import { webClock } from '../ui/clock.ts'
import type { Pronunciations } from '@rostrum/contract/spoken'
import type { SpeakerVoices } from './voice/speaker.ts'
import { chooseVoice, synthVoice } from './voice/synth-voice.ts'
import { silentVoice } from './voice/voice.ts'

export interface Keep {
  load(name: string): string | null
  save(name: string, text: string | null): void
}

export interface Platform {
  clock: WebClock
  fetch: typeof fetch
  isOnline(): boolean
  /** Once what is drawn by now is on the screen, or where nobody looks. Gives what takes it back. */
  afterPaint(run: () => void): () => void
  /** Of this tab: the seat, the outbox, the draft. */
  tab: Keep
  /** Of this device: choices. */
  device: Keep
  voices(language: string, pronunciations?: Pronunciations): SpeakerVoices
  /** Tells the name of the voice that would speak, null where there is none; again when voices come or go. */
  findVoice(language: string, tell: (name: string | null) => void): void
  /** Called inside the click, before any await: unlocks audio (iOS). Tells whether the device has a voice, again when one comes late. */
  unlock(tell: (hasVoice: boolean) => void): void
}

const voicesWithinMs = 1_500
const frameWithinMs = 200

/** One millisecond of silence as a WAV file; a blob, since the content policy has no `data:` for media. */
const silence = 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA=='

/** Storage that may be refused (an embed, private mode): memory then. */
function keep(storage: () => Storage): Keep {
  const memory = new Map<string, string>()
  return {
    load(name) {
      try {
        return storage().getItem(name) ?? memory.get(name) ?? null
      } catch {
        return memory.get(name) ?? null
      }
    },
    save(name, text) {
      if (text === null) memory.delete(name)
      else memory.set(name, text)
      try {
        if (text === null) storage().removeItem(name)
        else storage().setItem(name, text)
      } catch {
        // Refused or full: the memory above serves this page.
      }
    },
  }
}

export function browserPlatform(): Platform {
  const synth = typeof speechSynthesis === 'undefined' ? null : speechSynthesis
  const audio = new Audio()
  return {
    clock: webClock,
    fetch: (input, init) => fetch(input, init),
    isOnline: () => navigator.onLine,
    afterPaint(run) {
      let timer = setTimeout(run, document.hidden ? 0 : frameWithinMs)
      const frame = requestAnimationFrame(() => {
        clearTimeout(timer)
        timer = setTimeout(run)
      })
      return () => {
        cancelAnimationFrame(frame)
        clearTimeout(timer)
      }
    },
    tab: keep(() => sessionStorage),
    device: keep(() => localStorage),
    voices: (language, pronunciations) => ({
      clip: null,
      loadClip: () => import('./voice/clip-voice.ts').then(({ clipVoice }) => clipVoice({ clock: webClock, audio })),
      synth:
        synth === null
          ? null
          : synthVoice({ clock: webClock, synth, create: (text) => new SpeechSynthesisUtterance(text), language, pronunciations }),
      silent: silentVoice(webClock),
    }),
    findVoice(language, tell) {
      const look = () => tell((synth && chooseVoice(synth.getVoices(), language)?.name) ?? null)
      // After the page has been taken over as the server drew it.
      queueMicrotask(look)
      synth?.addEventListener?.('voiceschanged', look)
    },
    unlock(tell) {
      const url = URL.createObjectURL(
        new Blob([Uint8Array.from(atob(silence), (character) => character.charCodeAt(0))], { type: 'audio/wav' }),
      )
      audio.src = url
      void audio
        .play()
        .catch(() => undefined)
        .finally(() => URL.revokeObjectURL(url))
      const look = () => tell(!!synth?.getVoices().length)
      synth?.speak(new SpeechSynthesisUtterance(''))
      if (synth) synth.onvoiceschanged = look
      webClock.after(voicesWithinMs, look)
    },
  }
}
