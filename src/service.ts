// Builds every area and joins their ports: what `serve`, one-shot commands, the tool protocol on stdio and tests have in common.
// Nothing here listens or runs in the background until `start`.
import { join } from 'node:path'
import { createAuth } from './auth/compose.ts'
import type { Auth } from './auth/compose.ts'
import { planOf } from './auth/accounts.ts'
import { actorOf, recordAct } from './auth/audit.ts'
import { credentialScopes } from './auth/credential-scopes.ts'
import type { PasswordCost } from './auth/password.ts'
import { hashSecret, mint } from './auth/token.ts'
import type { Config } from './config.ts'
import { createFileBlobs } from './decks/blobs/file-blobs.ts'
import { createTableBlobs } from './decks/blobs/table-blobs.ts'
import type { Decks } from './decks/create-decks.ts'
import { createDecks } from './decks/create-decks.ts'
import { passagesOf } from './decks/deck-in-service.ts'
import { compilerVersion, compileScript } from './decks/script/compile.ts'
import type { Log } from './http/ports.ts'
import type { Clock } from './kernel/clock.ts'
import { createCursors } from './kernel/cursor.ts'
import type { Ids } from './kernel/ids.ts'
import type { Operation } from './kernel/operation.ts'
import { defaultConsentText } from './leads/lead.ts'
import { saveLead } from './leads/save-lead.ts'
import { leaksIn } from './leak-check.ts'
import { operations } from './operations.ts'
import type { Outbound } from './outbound/outbound.ts'
import { createOutbound } from './outbound/outbound.ts'
import { answerAgent, createAnswers } from './presenter/extractive-answers.ts'
import type { Live } from './presenter/compose.ts'
import { createLive } from './presenter/compose.ts'
import type { RehearsalDeps } from './presenter/rehearsal/rehearsal-deps.ts'
import type { Talks } from './presenter/talks.ts'
import { createTalks } from './presenter/talks.ts'
import { findAttendee } from './room/attendees.ts'
import { liveNow } from './room/live-now.ts'
import { minutesUsed } from './sessions/minutes.ts'
import { periodOf } from './sessions/quota.ts'
import type { SessionsDeps } from './sessions/ports.ts'
import type { Store } from './storage/store.ts'
import type { Webhooks } from './webhooks/create-webhooks.ts'
import { createWebhooks } from './webhooks/create-webhooks.ts'

export interface ServiceParts {
  store: Store
  clock: Clock
  ids: Ids
  log: Log
  /** The first signs, all verify. */
  secrets: readonly string[]
  /** This process alone uses the store: what a dead one held is free. */
  isAlone: boolean
  version: string
  /** Cheaper in tests. */
  passwordCost?: PasswordCost
  /** A resolver and hosts of their own, in tests. */
  outbound?: Outbound
}

export interface Service {
  operations: readonly Operation[]
  auth: Auth
  decks: Decks
  talks: Talks
  live: Live
  webhooks: Webhooks
  sessions: SessionsDeps
  /** Background work: runs, decks. */
  start(): Promise<void>
  /** Hands runs over. Before the streams are closed, so that another process goes on at once. */
  drain(): Promise<void>
  close(): Promise<void>
}

/** How long the target of a call to action may take to answer in a rehearsal. */
const reachMs = 10_000

/** Rule-made; raised with the compiler, so that stored scripts are made anew. */
const compiler = { version: `rules-${compilerVersion}`, compile: compileScript }

export function createService(config: Config, parts: ServiceParts): Service {
  const { store, clock, ids, log, secrets, isAlone } = parts
  const { baseUrl } = config
  const cursors = createCursors(secrets[0] ?? '')
  const warn = (words: string, error?: unknown) => log.warn(error === undefined ? {} : { err: error }, words)
  const onFault = (runId: string, error: unknown) => log.error({ runId, err: error }, 'A run met a fault')

  const userAgent = `Rostrum/${parts.version} (+${baseUrl}/docs)`
  const outbound = parts.outbound ?? createOutbound(config, { clock, userAgent, warn })
  const auth = createAuth({
    store,
    clock,
    ids,
    settings: { ...config, secrets },
    rates: config.rates,
    findAttendee: (hash) => findAttendee(store.read, hash),
    outbound,
    onFailure: (error) => warn('Background work of auth failed', error),
    ...(parts.passwordCost && { passwordCost: parts.passwordCost }),
  })
  const blobs = store.dialect === 'sqlite' ? createFileBlobs(join(config.dataDir, 'blobs'), ids) : createTableBlobs(store, clock)
  const mediaBase = config.assetOrigin ?? baseUrl
  const decks = createDecks({ store, clock, ids, blobs, outbound, mediaBase, isAlone, warn, compiler, wpm: config.speechWpm })
  const talks = createTalks({
    store,
    inService: decks.inService,
    ofRun: decks.ofRun,
    passagesOf,
    beatsOf: async (sessionId, deckId) => (await decks.scripts.find(sessionId, deckId ?? undefined))?.beats ?? [],
  })
  const live = createLive({
    store,
    clock,
    ids,
    baseUrl,
    role: config.role,
    holdsStore: isAlone,
    leaseMs: config.leaseMs,
    questionWindowMs: config.qaWindowMs,
    speechWpm: config.speechWpm,
    content: talks,
    answers: createAnswers(talks),
    leads: {
      defaultConsentText,
      save: ({ details, ...origin }) => store.write((tx) => saveLead(tx, details, origin, { ids, now: clock.now() })),
    },
    mintToken: () => mint('att', ids),
    hashToken: hashSecret,
    hasMinutes: async (accountId, now) =>
      config.planMinutes === null || (await minutesUsed(store.read, accountId, periodOf(now))) < config.planMinutes,
    voices: { tts: false, stt: false },
    onFault,
  })
  const sessions: SessionsDeps = {
    store,
    clock,
    ids,
    cursors,
    baseUrl,
    planOf: (read, accountId) => planOf(read, accountId, config),
    minutesLimit: config.planMinutes,
    minutesUsed,
    content: decks.content,
    live: { now: (sessionIds) => liveNow(store.read, sessionIds) },
    stopRuns: (sessionId) => live.stopRuns(sessionId, 'deleted'),
    async onDelete(tx, sessionId, now) {
      await webhooks.onSessionDeleted(tx, sessionId, now)
      await tx.deleteFrom('leads').where('session_id', '=', sessionId).execute()
      await tx.deleteFrom('pap_questions').where('session_id', '=', sessionId).execute()
      await tx.deleteFrom('run_summaries').where('session_id', '=', sessionId).execute()
      await decks.removeContent(tx, sessionId, now)
    },
  }
  const rehearsals: RehearsalDeps = {
    room: live.room,
    async contentOf(sessionId) {
      const deck = await decks.inService(store.read, sessionId)
      return deck ?? { language: 'en', slides: [], passages: await passagesOf(store.read, sessionId) }
    },
    leaksIn: (sessionId, deckId, texts) => leaksIn(store.read, sessionId, deckId, texts),
    async reach(url) {
      const answer = await outbound.request({ method: 'HEAD', url, maxBytes: 0, timeoutMs: reachMs, redirects: 3, overflow: 'truncate' })
      return answer.ok ? answer.status : null
    },
    onFault,
  }
  const webhooks = createWebhooks({
    store,
    clock,
    ids,
    cursors,
    outbound,
    settings: config,
    secrets,
    baseUrl,
    version: parts.version,
    isAlone,
    credentialScopes: (credentialId, now) => credentialScopes(store.read, credentialId, now),
    audit: (tx, call, act) => recordAct(tx, ids, actorOf(call), act),
    warn,
  })
  const leads = { store, clock, ids, cursors, baseUrl }
  const pap = {
    store,
    clock,
    ids,
    baseUrl,
    async ask(sessionId: string, question: string) {
      const { sentences, end } = await answerAgent(talks, sessionId, question)
      const { citations, outcome, confidence } = end
      return { sentences, citations, outcome, confidence }
    },
  }

  return {
    operations: operations({
      sessions,
      analytics: { store },
      leads,
      pap,
      decks: decks.deps,
      room: live.room,
      runs: { store, clock, cursors },
      rehearsals,
      webhooks: webhooks.deps,
      auth: auth.deps,
    }),
    auth,
    decks,
    talks,
    live,
    webhooks,
    sessions,
    async start() {
      await live.start()
      if (config.role === 'web') return
      await decks.start()
      await webhooks.start()
    },
    drain: () => live.drain(),
    async close() {
      live.close()
      await webhooks.close()
      await decks.close()
      talks.close()
      await outbound.close()
      await auth.close()
    },
  }
}
