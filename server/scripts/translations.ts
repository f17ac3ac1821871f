// The script in the languages of its listeners, translated ahead of the talk by the configured model: a job a session, one row a
// sentence. What could not be put faithfully into a language has a row without text, and is shown as it was said. Its host sees how far it
// is and puts a sentence right: that stays for as long as the same is said.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { words } from '@rostrum/contract/fields'
import { sessionId, settingOf } from '@rostrum/contract/session'
import type { Clock } from '@rostrum/base/clock'
import { addJob, type JobKind } from '../platform/db/jobs.ts'
import type { Store, Tx } from '../platform/db/store.ts'
import { isServiceError, ServiceError } from '@rostrum/base/errors'
import { type Call, operation, scoped } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { ownSession, unclaimedAccount } from '../sessions/session.ts'
import type { TranslationRow } from './tables.ts'
import { dayEnd } from '../sessions/usage.ts'
import type { ScriptSlide } from '@rostrum/telling/beat'
import type { Scripts, StoredScript } from './scripts.ts'

const whys = ['missing', 'length', 'figures', 'names'] as const

/** Or what is amiss with what the model wrote. */
export type Translated = { text: string; why?: never } | { why: (typeof whys)[number]; text?: never }

export type Translator = (
  request: { sessionId: string; title: string; from: string; to: string; sentences: readonly string[] },
  signal: AbortSignal,
) => Promise<Translated[]>

export interface TranslationsParts {
  store: Store
  clock: Clock
  scripts: Pick<Scripts, 'find' | 'source'>
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

/** What a talk shows of itself in words: its title, those of its slides, what is said, what the room may choose. */
export const wordsOf = (
  title: string,
  slides: readonly Pick<ScriptSlide, 'title' | 'index'>[],
  beats: StoredScript['beats'] | readonly { text: string; slideIndex: number; poll?: { options?: readonly string[] } }[],
): { text: string; slideIndex: number | null; kind: 'title' | 'sentence' | 'option' }[] => {
  const all = [
    { text: title, slideIndex: null, kind: 'title' as const },
    ...slides.flatMap(({ title: text, index }) => [
      { text, slideIndex: index, kind: 'title' as const },
      ...beats.flatMap((beat) =>
        beat.slideIndex === index
          ? [
              { text: beat.text, slideIndex: index, kind: 'sentence' as const },
              ...(beat.poll?.options ?? []).map((option) => ({ text: option, slideIndex: index, kind: 'option' as const })),
            ]
          : [],
      ),
    ]),
  ]
  const seen = new Set([''])
  return all.filter(({ text }) => !seen.has(text) && seen.add(text))
}

export function createTranslations({ store, clock, scripts, translator }: TranslationsParts): Translations {
  async function known(sessionId: string, language: string, sentences: readonly string[]) {
    const byHash = new Map(sentences.map((text) => [hashOf(text), text]))
    const rows = await rowsOf(store, sessionId, language, [...byHash.keys()])
    return new Map(rows.map(({ text_hash, text_content }) => [byHash.get(text_hash) ?? '', text_content]))
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
      text_content: made[at]?.text ?? null,
      why: made[at]?.why ?? null,
      original: null,
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
      const sentences = (await scriptWords(scripts, key, session.title)).map(({ text }) => text)
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
      if (session !== undefined && languagesOf(session).length > 0) await store.write((tx) => orderIn(tx, sessionId))
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

const orderIn = (tx: Tx, sessionId: string) => addJob(tx, kind, { key: sessionId })

async function scriptWords(scripts: Pick<Scripts, 'find' | 'source'>, id: string, title: string) {
  const [script, source] = [await scripts.find(id), await scripts.source(id)]
  return wordsOf(title, source?.input.slides ?? [], script?.beats ?? [])
}

async function rowsOf({ read }: Pick<Store, 'read'>, sessionId: string, language: string, hashes: readonly string[]) {
  const rows: TranslationRow[] = []
  const own = read.selectFrom('translations').selectAll().where('session_id', '=', sessionId).where('language', '=', language)
  for (let from = 0; from < hashes.length; from += 400)
    rows.push(...(await own.where('text_hash', 'in', hashes.slice(from, from + 400)).execute()))
  return rows
}

/** Besides the talk's own. */
function languagesOf(row: { language: string; listener_languages: string }): readonly string[] {
  return settingOf('listenerLanguages', row).filter((language) => language !== row.language)
}

const language = z.string().min(2).max(35).describe('One of `listenerLanguages`.')

const counted = z.object({
  language: z.string(),
  translated: z.number().describe('By the model, faithfully.'),
  corrected: z.number().describe('By you.'),
  failed: z.number().describe('Shown as they are said, for what the check found.'),
  waiting: z.number(),
})

const translation = z.object({
  original: z.string(),
  kind: z.enum(['title', 'sentence', 'option']).describe('A title of the talk or of a slide, what is said, an option of a poll.'),
  slideIndex: z.number().nullable().describe('Null: the title of the talk.'),
  text: z.string().nullable().describe('Null: shown as it is said.'),
  state: z.enum(['translated', 'corrected', 'failed', 'waiting']),
  why: z
    .enum(whys)
    .optional()
    .describe('Of `failed`: the model left it out (`missing`), wrote far too much (`length`), or other figures or names.'),
})

interface TranslatedDeps {
  store: Store
  scripts: Pick<Scripts, 'find' | 'source'>
  /** Whether a model is there to translate. */
  translates: boolean
}

export const listTranslations = operation({
  name: 'list_translations',
  summary: 'See how far a talk is translated',
  description:
    'Titles, sentences and options of the talk in one of `listenerLanguages`, the first where none is named, and how many there are in each. They are translated in the background after each change.',
  access: scoped('sessions:read'),
  input: z.object({ sessionId, language: language.optional() }),
  async run(wanted, { principal }: Call<AccountPrincipal>, deps: TranslatedDeps) {
    const session = await ownSession(deps.store.read, principal.accountId, wanted.sessionId)
    const offered = languagesOf(session)
    const shown = wanted.language ?? offered[0]
    if (shown !== undefined && !offered.includes(shown)) throw notOffered(offered)
    const all = await scriptWords(deps.scripts, session.id, session.title)
    const hashes = all.map(({ text }) => hashOf(text))
    const inEach = new Map<string, z.output<typeof translation>[]>()
    for (const each of offered) {
      const byHash = new Map((await rowsOf(deps.store, session.id, each, hashes)).map((row) => [row.text_hash, row]))
      const views = all.map(({ text, ...place }, at) => ({ original: text, ...place, ...stateOf(byHash.get(hashes[at] ?? '')) }))
      inEach.set(each, views)
    }
    const corrections = deps.store.read.selectFrom('translations').select(['original', 'text_content', 'text_hash'])
    const own = corrections
      .where('session_id', '=', session.id)
      .where('language', '=', shown ?? '')
      .where('original', 'is not', null)
    return {
      hasModel: deps.translates,
      languages: [...inEach].map(([each, views]) => {
        const states = Map.groupBy(views, ({ state }) => state)
        const count = (state: z.output<typeof translation>['state']) => states.get(state)?.length ?? 0
        const [translated, corrected, failed, waiting] = [count('translated'), count('corrected'), count('failed'), count('waiting')]
        return { language: each, translated, corrected, failed, waiting }
      }),
      language: shown ?? null,
      sentences: inEach.get(shown ?? '') ?? [],
      stale: (await own.execute()).flatMap(({ original, text_hash, text_content: text }) =>
        original === null || text === null || hashes.includes(text_hash) ? [] : [{ original, text }],
      ),
    }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/translations',
    output: z.object({
      hasModel: z.boolean().describe('False: no model is configured, so nothing is translated but by you.'),
      languages: z.array(counted).describe('Those of `listenerLanguages`.'),
      language: z.string().nullable().describe('Of `sentences`; null where the talk has no `listenerLanguages`.'),
      sentences: z.array(translation).describe('In the order of the talk, each once.'),
      stale: z
        .array(z.object({ original: z.string(), text: z.string() }))
        .describe('Your corrections of what is no longer said: they are used again where it is, and go with `text: null`.'),
    }),
  },
})

export const correctTranslation = operation({
  name: 'correct_translation',
  summary: 'Put a translation right',
  description:
    'Your words stand for as long as the talk says the same, whatever else of it changes; nothing is checked. `text: null` takes them back: the model translates the sentence anew, also one that had failed.',
  access: scoped('sessions:write'),
  input: z.object({
    sessionId,
    language,
    original: z.string().min(1).max(1_000).describe('As `GET .../translations` has it.'),
    text: words(1_000).nullable(),
  }),
  async run(wanted, { principal }: Call<AccountPrincipal>, deps: TranslatedDeps) {
    const { original, text } = wanted
    const session = await ownSession(deps.store.read, principal.accountId, wanted.sessionId)
    const offered = languagesOf(session)
    if (!offered.includes(wanted.language)) throw notOffered(offered)
    const place = (await scriptWords(deps.scripts, session.id, session.title)).find((each) => each.text === original)
    const key = { session_id: session.id, language: wanted.language, text_hash: hashOf(original) }
    await deps.store.write(async (tx) => {
      await ownSession(tx, principal.accountId, session.id)
      if (text === null) {
        await tx
          .deleteFrom('translations')
          .where((row) => row.and(key))
          .execute()
        if (place !== undefined && deps.translates) await orderIn(tx, session.id)
        return
      }
      if (place === undefined)
        throw invalidInput([{ pointer: '#/original', detail: 'is not said in this talk: send an `original` of `GET .../translations`.' }])
      const row = { text_content: text, why: null, original }
      await tx
        .insertInto('translations')
        .values({ ...key, ...row })
        .onConflict((conflict) => conflict.columns(['session_id', 'language', 'text_hash']).doUpdateSet(row))
        .execute()
    })
    return { original, text, state: text === null ? ('waiting' as const) : ('corrected' as const) }
  },
  http: {
    method: 'PATCH',
    path: '/api/v1/agent/sessions/{sessionId}/translations/{language}',
    output: translation.pick({ original: true, text: true, state: true }),
  },
})

const notOffered = (offered: readonly string[]) =>
  new ServiceError('not_found', offered.length === 0 ? 'This talk has no `listenerLanguages`.' : `Choose one of: ${offered.join(', ')}.`)

function stateOf(row: TranslationRow | undefined): Pick<z.output<typeof translation>, 'text' | 'state' | 'why'> {
  if (row === undefined) return { text: null, state: 'waiting' }
  const { text_content: text, original, why } = row
  if (text === null) return { text, state: 'failed', ...(isWhy(why) && { why }) }
  return { text, state: original === null ? 'translated' : 'corrected' }
}

const isWhy = (why: string | null): why is (typeof whys)[number] => whys.some((each) => each === why)
