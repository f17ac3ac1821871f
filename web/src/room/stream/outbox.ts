// Everything the attendee sends goes through here: in order per kind, with a uuid made once, retried on network errors, 5xx and 429,
// kept over a reload. A repeat of the same id is harmless on the server, so nothing is lost and nothing counts twice.
import type { WebClock } from '../../ui/clock.ts'
import { createPauses } from '../voice/pauses.ts'
import { parseJson } from './wire-parse.ts'

export type SendKind = 'questions' | 'control' | 'cta' | 'lead' | 'votes' | 'polls' | 'acks' | 'leave'

export interface Entry {
  id: string
  kind: SendKind
  body: Readonly<Record<string, unknown>>
  /** Of what is shown. `stuck`: 30 s without success; waits for **Try again**. `refused`: a 4xx; `detail` says why. */
  status: 'sending' | 'stuck' | 'refused'
  detail?: string
}

export type Delivered =
  | { ok: true; answer: Record<string, unknown> }
  | { ok: false; status: number; detail: string; waitMs?: number | undefined }

export interface OutboxOptions {
  clock: WebClock
  /** Rejects on a network error. */
  post: (kind: SendKind, body: Readonly<Record<string, unknown>>) => Promise<Delivered>
  onChange: (entries: readonly Entry[]) => void
  onAnswer: (entry: Entry, answer: Record<string, unknown>) => void
  keep: { load: () => string | null; save: (text: string) => void }
}

export interface Outbox {
  send(kind: SendKind, body: Readonly<Record<string, unknown>>, id?: string): string
  /** A stuck entry goes again, with the same id. */
  retry(id: string): void
  discard(id: string): void
  /** Tries what waits at once (came back online). */
  wake(): void
  stop(): void
}

const stuckAfterMs = 30_000
/** Over a reload. A control is for the moment, and who leaves has no seat for a later page to leave. */
const keptKinds: readonly SendKind[] = ['questions', 'lead', 'cta', 'votes', 'polls']
/** With what became of it; the rest is tried until it arrives or is refused. */
const shown: readonly SendKind[] = ['questions', 'lead', 'polls']

export function createOutbox(options: OutboxOptions): Outbox {
  const { clock } = options
  let entries: readonly Entry[] = []
  let stopped = false
  const pumping = new Set<SendKind>()
  const { pause, wake } = createPauses(clock)

  const set = (next: readonly Entry[]) => {
    entries = next
    options.keep.save(JSON.stringify(entries.filter((entry) => keptKinds.includes(entry.kind))))
    options.onChange(entries)
  }
  const change = (id: string, to: Partial<Entry>) => set(entries.map((entry) => (entry.id === id ? { ...entry, ...to } : entry)))
  const remove = (id: string) => set(entries.filter((entry) => entry.id !== id))

  const deliver = async (entry: Entry) => {
    const startedAt = clock.elapsed()
    for (let tries = 0; !stopped; tries++) {
      const outcome = await options.post(entry.kind, entry.body).catch((): Delivered => ({ ok: false, status: 0, detail: '' }))
      if (stopped) return
      if (outcome.ok) {
        remove(entry.id)
        options.onAnswer(entry, outcome.answer)
        return
      }
      const lasting = outcome.status >= 400 && outcome.status < 500 && outcome.status !== 429 && outcome.status !== 408
      if (lasting) {
        if (shown.includes(entry.kind)) change(entry.id, { status: 'refused', detail: outcome.detail })
        else remove(entry.id)
        return
      }
      if (shown.includes(entry.kind) && clock.elapsed() - startedAt >= stuckAfterMs) {
        change(entry.id, { status: 'stuck' })
        return
      }
      await pause(Math.max(outcome.waitMs ?? 0, Math.min(8_000, 500 * 2 ** tries) * (0.5 + clock.chance() / 2)))
    }
  }

  const pump = async (kind: SendKind) => {
    if (pumping.has(kind)) return
    pumping.add(kind)
    for (;;) {
      const next = entries.find((entry) => entry.kind === kind && entry.status === 'sending')
      if (next === undefined || stopped) break
      await deliver(next)
    }
    pumping.delete(kind)
  }

  for (const entry of parseKept(options.keep.load())) {
    entries = [...entries, entry]
    void pump(entry.kind)
  }

  return {
    send(kind, body, id = clock.uuid()) {
      set([...entries, { id, kind, body: { ...body, id }, status: 'sending' }])
      void pump(kind)
      return id
    },
    retry(id) {
      change(id, { status: 'sending' })
      const entry = entries.find((other) => other.id === id)
      if (entry !== undefined) void pump(entry.kind)
    },
    discard: remove,
    wake,
    stop() {
      stopped = true
      wake()
    },
  }
}

/** This page wrote it, so what parses is trusted but for a kind that an older version kept. */
function parseKept(text: string | null): readonly Entry[] {
  const found = parseJson(text)
  return Array.isArray(found) ? (found as readonly Entry[]).filter((entry) => keptKinds.includes(entry?.kind)) : []
}
