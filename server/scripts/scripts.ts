// Keeps the narration of sessions compiled: at publish, at each change of a deck, on first use.
// Stored with the deck version; compiled again when anything the compiler was given has changed, its version included.
import { createHash } from 'node:crypto'
import type { Clock } from '@rostrum/base/clock'
import { remaining } from '../platform/db/statements.ts'
import { type Reader, ringAfter, type Store } from '../platform/db/store.ts'
import { slidesInPieces } from '../decks/content.ts'
import { passagesOf } from '../knowledge/passage-rows.ts'
import { deckTopic } from '../sessions/session.ts'
import type { Passage } from '@rostrum/contract/content'
import type { Source } from '@rostrum/contract/room'
import { applyEdits, type BeatEdit, type EditedBeat } from './beat-edits.ts'
import type { CitedSentence, Script, ScriptInput, ScriptSlide } from '@rostrum/telling/beat'
import { type ScriptCompiler, unpacked } from '@rostrum/telling/compiler'

/** Before the id of a session whose script a worker is to compile (`Store.listen`). */
const scriptTopic = 'script:'

export interface StoredScript extends Omit<Script, 'beats'> {
  /** Null for a session without a deck: an opening and a closing. */
  deckId: string | null
  beats: readonly EditedBeat[]
  compiledAt: number
  /** Digest of all it was made from: the same while nothing of it has changed. */
  revision: string
}

export interface Scripts {
  /** Compiles once the caller has its answer, here or on a worker. What is lost on the way is compiled at its first use. */
  refresh(sessionId: string): void
  /** Compiles for processes that do not; roles `worker` and `all`. */
  start(): void
  /** The script of the deck in service, or of the version a run began with; compiled now where it is missing. Null: no such session or deck. */
  find(sessionId: string, deckId?: string): Promise<StoredScript | null>
  /** What the compiler is given, private notes included: for the operation that changes a beat. */
  source(sessionId: string, deckId?: string): Promise<ScriptSource | null>
  /** Of what would be compiled now; null: no such session. */
  revision(read: Reader, sessionId: string): Promise<string | null>
  /** Resolves when no background compile is under way. */
  idle(): Promise<void>
  close(): Promise<void>
  pace: { wpm: number }
}

export interface ScriptSource {
  deckId: string | null
  input: ScriptInput
  edits: readonly BeatEdit[]
}

export interface ScriptsParts {
  store: Store
  clock: Clock
  compiler: ScriptCompiler
  /** False in a process that only answers: a worker compiles for it. */
  compiles: boolean
  /** Words a minute. */
  wpm: number
  warn(words: string, error: unknown): void
  /** After a compile in the background: what else follows from a script. */
  onRefreshed?(sessionId: string, script: StoredScript): Promise<void>
}

/** Of a session whose script is being compiled, or was a moment ago. */
interface Turn {
  /** Something changed since. */
  isDue: boolean
  /** Ends the rest at once; there while it rests. */
  wake?: () => void
}

/** After a script that took long to compile its session rests for four times as long: changes in a row are compiled together. */
const restFactor = 4
const restMostMs = 1_000

export function createScripts({ store, clock, compiler, compiles, wpm, warn, onRefreshed }: ScriptsParts): Scripts {
  const running = new Map<string, Promise<StoredScript | null>>()
  const refreshing = new Set<Promise<void>>()
  const turns = new Map<string, Turn>()
  let stopListening = () => {}

  async function compile(sessionId: string, deckId: string | undefined): Promise<StoredScript | null> {
    const frame = await readFrame(store.read, sessionId, deckId, wpm)
    if (frame === null) return null
    // The slides of a version never change: its id stands for what they say.
    const input_hash = revisionOf(frame)
    const stored = frame.deckId === null ? undefined : await storedScript(store.read, frame.deckId)
    if (stored?.input_hash === input_hash) return stored.script
    const source = await withSlides(store.read, sessionId, frame)
    const made = await compiler.compile(source.input).catch((error: unknown) => {
      // A talk that can be given goes on with what it says.
      if (stored === undefined) throw error
      warn(`The script of session ${sessionId} stays as it was.`, error)
      return null
    })
    if (made === null) return stored?.script ?? null
    const beats = applyEdits(made.beats, source.input.slides, source.edits, { language: made.language, wpm })
    const changedMs = beats.reduce((sum, beat, at) => sum + beat.estMs - (made.beats[at]?.estMs ?? 0), 0)
    const totalMs = made.totalMs + changedMs
    const script = { ...made, beats, totalMs, deckId: source.deckId, compiledAt: clock.now(), revision: input_hash }
    if (script.deckId !== null) await keep(script, script.deckId, sessionId)
    return script
  }

  const revisionOf = (frame: Frame) => digest([compiler.version, frame])

  async function keep(script: StoredScript, deck_id: string, session_id: string): Promise<void> {
    const { language, revision: input_hash, compiledAt: compiled_at } = script
    const row = { session_id, language, input_hash, body: JSON.stringify(script), compiled_at }
    await store.write(async (tx) => {
      // The version may have gone meanwhile; a script without one would stay for ever.
      const deck = await remaining(tx, tx.selectFrom('decks').select('id').where('id', '=', deck_id)).executeTakeFirst()
      if (deck === undefined) return
      await tx
        .insertInto('scripts')
        .values({ deck_id, ...row })
        .onConflict((conflict) => conflict.column('deck_id').doUpdateSet(row))
        .execute()
      // A talk in memory may say what was said before a change of the session.
      ringAfter(tx, deckTopic(session_id))
    })
  }

  /** One compile at a time for one deck; a caller during it waits for a fresh look. */
  function find(sessionId: string, deckId?: string): Promise<StoredScript | null> {
    const key = `${sessionId} ${deckId ?? ''}`
    const before = running.get(key)
    const work = (before === undefined ? Promise.resolve() : before.catch(() => undefined)).then(() => compile(sessionId, deckId))
    running.set(key, work)
    const forget = () => {
      if (running.get(key) === work) running.delete(key)
    }
    work.then(forget, forget)
    return work
  }

  async function refreshed(sessionId: string): Promise<void> {
    // The answer of the caller goes first.
    await new Promise((resolve) => void setImmediate(resolve))
    const script = await find(sessionId)
    if (script !== null) await onRefreshed?.(sessionId, script)
  }

  function refreshHere(sessionId: string): void {
    const turn = turns.get(sessionId)
    if (turn !== undefined) turn.isDue = true
    else takeTurn(sessionId, { isDue: true })
  }

  function takeTurn(sessionId: string, turn: Turn): void {
    delete turn.wake
    if (!turn.isDue) return void turns.delete(sessionId)
    turn.isDue = false
    turns.set(sessionId, turn)
    const began = clock.elapsed()
    const failed = (error: unknown) => warn(`The script of session ${sessionId} was not compiled.`, error)
    const work = refreshed(sessionId)
      .catch(failed)
      .finally(() => {
        refreshing.delete(work)
        const restMs = Math.min(restMostMs, restFactor * (clock.elapsed() - began))
        if (restMs < 1) return takeTurn(sessionId, turn)
        const cancel = clock.after(restMs, () => takeTurn(sessionId, turn))
        turn.wake = () => {
          cancel()
          takeTurn(sessionId, turn)
        }
      })
    refreshing.add(work)
  }

  async function idle(): Promise<void> {
    for (;;) {
      for (const turn of turns.values()) turn.wake?.()
      if (running.size + refreshing.size === 0) return
      await Promise.allSettled([...running.values(), ...refreshing])
    }
  }

  return {
    refresh: (sessionId) => (compiles ? refreshHere(sessionId) : store.ring(scriptTopic + sessionId)),
    start() {
      stopListening = store.listen(scriptTopic, (topic) => refreshHere(topic.slice(scriptTopic.length)))
    },
    find,
    async source(sessionId, deckId) {
      const frame = await readFrame(store.read, sessionId, deckId, wpm)
      return frame && withSlides(store.read, sessionId, frame)
    },
    async revision(read, sessionId) {
      const frame = await readFrame(read, sessionId, undefined, wpm)
      return frame && revisionOf(frame)
    },
    idle,
    async close() {
      stopListening()
      await idle()
    },
    pace: { wpm },
  }
}

async function storedScript(read: Reader, deckId: string): Promise<{ input_hash: string; script: StoredScript } | undefined> {
  const row = await read.selectFrom('scripts').select(['input_hash', 'body']).where('deck_id', '=', deckId).executeTakeFirst()
  // The body is written by `keep` alone, and an older shape has an older compiler version in its hash.
  return row === undefined ? undefined : { input_hash: row.input_hash, script: JSON.parse(row.body) as StoredScript }
}

/** All that makes a script but the slides. */
type Frame = Omit<ScriptSource, 'input'> & { passages: readonly string[]; input: Omit<ScriptInput, 'slides' | 'passages'> }

async function readFrame(read: Reader, sessionId: string, wanted: string | undefined, wpm: number): Promise<Frame | null> {
  const session = await read
    .selectFrom('sessions')
    .select(['title', 'language', 'cta_text', 'target_seconds', 'deck_id'])
    .where('id', '=', sessionId)
    .executeTakeFirst()
  if (session === undefined) return null
  const deckId = wanted ?? session.deck_id
  if (deckId !== null && !(await isOfSession(read, deckId, sessionId))) return null
  const edits = await read
    .selectFrom('beat_edits')
    .select(['slide_id', 'slide_hash', 'kind', 'ordinal', 'text_content', 'edited_at'])
    .where('session_id', '=', sessionId)
    .orderBy('slide_id')
    .orderBy('kind')
    .orderBy('ordinal')
    .execute()
  const passages = await read
    .selectFrom('passages')
    .select(['id', 'digest'])
    .where('session_id', '=', sessionId)
    .orderBy('position')
    .execute()
  const { title, language, cta_text, target_seconds } = session
  const wishes = { ...(cta_text !== null && { ctaText: cta_text }), ...(target_seconds !== null && { targetSeconds: target_seconds }) }
  return {
    deckId,
    edits,
    passages: passages.map(({ id, digest: of }) => `${id} ${of}`),
    input: { title, language, speechWpm: wpm, ...wishes },
  }
}

/** A million characters of the background, in its order, are looked through for what explains a slide. */
const backgroundMost = 1_000_000

async function backgroundOf(read: Reader, sessionId: string): Promise<Passage[]> {
  let left = backgroundMost
  return (await passagesOf(read, sessionId)).filter(({ content }) => (left -= content.length) >= 0)
}

async function withSlides(read: Reader, sessionId: string, { passages: digests, ...frame }: Frame): Promise<ScriptSource> {
  const { deckId } = frame
  if (deckId === null) return { ...frame, input: { ...frame.input, slides: [] } }
  const rows = await slidesInPieces((from, to) =>
    read
      .selectFrom('slides')
      .select(['id', 'position', 'title', 'text_content', 'agent_notes', 'narration', 'cited', 'is_silent', 'reading'])
      .where('deck_id', '=', deckId)
      .where('position', '>=', from)
      .where('position', '<', to)
      .orderBy('position')
      .execute(),
  )
  const places = placesIn(rows, digests)
  const slides = rows.map(({ id, position, title, text_content, agent_notes, narration, cited, is_silent, reading }): ScriptSlide =>
    unpacked({
      id,
      index: position,
      title,
      text: text_content,
      reading,
      ...(agent_notes !== '' && { agentNotes: agent_notes }),
      ...(narration !== '' && { narration }),
      ...(cited !== '' && { cited: citedIn(cited, id, places) }),
      ...(is_silent === 1 && { isSilent: true as const }),
    }),
  )
  const passages = digests.length === 0 ? [] : await backgroundOf(read, sessionId)
  return { ...frame, input: { ...frame.input, slides, ...(passages.length > 0 && { passages }) } }
}

type Places = ReadonlyMap<string, Source>

/** Where what a sentence may rest on stands now. */
function placesIn(slides: readonly { id: string; position: number }[], passages: readonly string[]): Places {
  return new Map<string, Source>([
    ...passages.map((digest, index): [string, Source] => {
      const id = digest.split(' ', 1)[0] ?? ''
      return [id, { type: 'knowledge', id, index }]
    }),
    ...slides.map(({ id, position }): [string, Source] => [id, { type: 'slide', id, index: position }]),
  ])
}

/** Sources that have gone are left out, and with the last of them the sentence: it is of its slide then. */
function citedIn(column: string, slideId: string, places: Places): CitedSentence[] {
  // Only our own JSON is ever written to the column; the slide itself has no id in it, so that a copy of the slide cites the copy.
  return (JSON.parse(column) as CitedSentence[]).flatMap(({ text, sources, region }) => {
    const found = sources.flatMap(({ id, spans }) => {
      const place = places.get(id === '' ? slideId : id)
      return place === undefined ? [] : [{ ...place, ...(spans && { spans }) }]
    })
    return found.length === 0 ? [] : [{ text, sources: found, ...(region && { region }) }]
  })
}

async function isOfSession(read: Reader, deckId: string, sessionId: string): Promise<boolean> {
  const deck = await read.selectFrom('decks').select('id').where('id', '=', deckId).where('session_id', '=', sessionId).executeTakeFirst()
  return deck !== undefined
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
