// The script in the languages of its listeners, translated ahead of the talk by the configured model: a job a session, one row a
// sentence. What could not be put faithfully into a language has a row without text, and is shown as it was said.
import { createHash } from 'node:crypto'
import { settingOf } from '../../contract/session.ts'
import type { Clock } from '../../platform/clock.ts'
import { addJob, type JobKind } from '../../platform/db/jobs.ts'
import type { Store } from '../../platform/db/store.ts'
import { isServiceError } from '../../platform/errors.ts'
import { unclaimedAccount } from '../session.ts'
import { dayEnd } from '../usage.ts'
import type { Scripts } from './scripts.ts'

/** Null for a sentence that it cannot put into the language with all its figures and names. */
export type Translator = (
  request: { sessionId: string; title: string; from: string; to: string; sentences: readonly string[] },
  signal: AbortSignal,
) => Promise<(string | null)[]>

export interface TranslationsParts {
  store: Store
  clock: Clock
  scripts: Pick<Scripts, 'find'>
  translator: Translator
}

/** Languages, BCP 47. */
interface Ways {
  from: string
  to: string
}

export interface Translations {
  /** After a change of the script or of the languages. */
  order(sessionId: string): Promise<void>
  /** What there is by now, by sentence; null for one that stays as it is. */
  known(sessionId: string, language: string, sentences: readonly string[]): Promise<Map<string, string | null>>
  /** The same, with what is missing translated now; sentences stay missing where the model does not answer. */
  now(sessionId: string, ways: Ways, sentences: readonly string[], signal: AbortSignal): Promise<Map<string, string | null>>
  jobs: Readonly<Record<string, JobKind>>
}

const kind = 'translation'
const atOnce = 20
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

export function createTranslations({ store, clock, scripts, translator }: TranslationsParts): Translations {
  async function known(sessionId: string, language: string, sentences: readonly string[]) {
    const found = new Map<string, string | null>()
    const byHash = new Map(sentences.map((text) => [hashOf(text), text]))
    const hashes = [...byHash.keys()]
    for (let from = 0; from < hashes.length; from += 400) {
      const rows = await store.read
        .selectFrom('translations')
        .select(['text_hash', 'text_content'])
        .where('session_id', '=', sessionId)
        .where('language', '=', language)
        .where('text_hash', 'in', hashes.slice(from, from + 400))
        .execute()
      for (const { text_hash, text_content } of rows) found.set(byHash.get(text_hash) ?? '', text_content)
    }
    return found
  }

  /** Undefined where nobody vouches for it: nothing is spent on it. */
  const sessionOf = async (sessionId: string) => {
    const row = await store.read
      .selectFrom('sessions')
      .select(['title', 'language', 'listener_languages'])
      .select((row) => [unclaimedAccount(row)])
      .where('id', '=', sessionId)
      .executeTakeFirst()
    return row?.unclaimed === null ? row : undefined
  }

  /** Some sentences into one language, kept. */
  async function make(sessionId: string, { from, to }: Ways, sentences: readonly string[], by: Translator, signal: AbortSignal) {
    const session = await sessionOf(sessionId)
    if (session === undefined || sentences.length === 0) return
    const made = await by({ sessionId, title: session.title, from, to, sentences }, signal)
    const rows = sentences.map((text, at) => ({
      session_id: sessionId,
      language: to,
      text_hash: hashOf(text),
      text_content: made[at] ?? null,
    }))
    await store.write(async (tx) => {
      // A session that went meanwhile would keep them for ever.
      const held = await tx.selectFrom('sessions').select('id').where('id', '=', sessionId).executeTakeFirst()
      if (held === undefined) return
      await tx
        .insertInto('translations')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    })
  }

  async function missing(sessionId: string, language: string, sentences: readonly string[]) {
    const there = await known(sessionId, language, sentences)
    return [...new Set(sentences)].filter((text) => text !== '' && !there.has(text))
  }

  const translate: JobKind = {
    atOnce: 2,
    retryMs: [60_000, 600_000, 3_600_000],
    async run({ key, signal }) {
      const session = await sessionOf(key)
      if (session === undefined) return undefined
      const script = await scripts.find(key)
      const sentences = (script?.beats ?? []).map(({ text }) => text)
      for (const language of languagesOf(session)) {
        const waiting = await missing(key, language, sentences)
        for (let from = 0; from < waiting.length; from += atOnce) {
          signal.throwIfAborted()
          try {
            await make(key, { from: session.language, to: language }, waiting.slice(from, from + atOnce), translator, signal)
          } catch (error) {
            if (isServiceError(error) && error.code === 'quota_exceeded') return { againAt: dayEnd(clock.now()) }
            throw error
          }
        }
      }
      return undefined
    },
  }

  return {
    known,
    async order(sessionId) {
      const session = await sessionOf(sessionId)
      if (session !== undefined && languagesOf(session).length > 0) await store.write((tx) => addJob(tx, kind, { key: sessionId }))
    },
    async now(sessionId, ways, sentences, signal) {
      const waiting = await missing(sessionId, ways.to, sentences)
      // A listener who waits is told what there is.
      await make(sessionId, ways, waiting.slice(0, atOnce), translator, signal).catch(() => undefined)
      return known(sessionId, ways.to, sentences)
    },
    jobs: { [kind]: translate },
  }
}

/** Besides the talk's own. */
function languagesOf(row: { language: string; listener_languages: string }): readonly string[] {
  return settingOf('listenerLanguages', row).filter((language) => language !== row.language)
}
