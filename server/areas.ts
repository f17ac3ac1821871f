// Builds every area and joins their ports: what `serve`, one-shot commands, the tool protocol on stdio and tests have in common.
// Nothing here listens or runs in the background until `start`.
import { join } from 'node:path'
import { createAuth } from './agents/compose.ts'
import { networkSteps } from './accounts/networks.ts'
import { isAgentAccount, planOf } from './accounts/people.ts'
import { actorOf, recordAct } from './accounts/audit.ts'
import { credentialScopes, hashSecret, mint } from './accounts/credentials.ts'
import { createSigner } from './accounts/cookies.ts'
import { createMailer, mailKind, mailReport } from './accounts/mail.ts'
import { sweepAuth } from './agents/sweep.ts'
import { forget as forgetFigures } from './analytics/get-session-analytics.ts'
import { consentTextIn, forget as forgetLeads, saveLead } from './leads/lead.ts'
import { forget as forgetQuestions, type PapAsked, type PapCaller } from './pap/query-presenter.ts'
import type { PasswordCost } from './accounts/password.ts'
import { recoveryJob, recoveryKind } from './accounts/new-password.ts'
import { movedTopic } from './agents/claim.ts'
import { claimUriOf } from './agents/register.ts'
import type { Config } from './config/config.ts'
import { Away } from './platform/away.ts'
import { createClusterBlobs, createFileBlobs } from './platform/blobs/blob-stores.ts'
import type { StorageLimit } from './sessions/storage.ts'
import { createDecks } from './deck-areas.ts'
import { officeFor } from '@rostrum/deck/render/converter'
import { passagesOf } from './knowledge/passage-rows.ts'
import { createCompiler } from '@rostrum/telling/compiler'
import type { Gauges } from './platform/gauges.ts'
import type { Log } from './platform/http/ports.ts'
import type { Clock, Ids } from '@rostrum/base/clock'
import { createCursors } from './platform/db/cursor.ts'
import { createDisk } from './platform/disk.ts'
import { createThreads } from '@rostrum/base/work'
import { createLeakCheck } from './leak-check.ts'
import { createModels } from './models.ts'
import { type OperationDeps, operations } from './operations.ts'
import { createOutbound, type Outbound, reachTarget } from './platform/egress/outbound.ts'
import { createZoneCounts, parseZones } from './platform/egress/blocklist.ts'
import { createAnswers } from './runs/answers.ts'
import { createMeanings } from './models/meanings.ts'
import { openAnyEmbedder } from './models/open-model.ts'
import { createLive } from './runs/room/live.ts'
import type { RehearsalDeps } from './runs/room/deps.ts'
import { eraseNameEverywhere } from './runs/runner/forget.ts'
import { findProgram } from './recordings/film.ts'
import { recordingJobs } from './recordings/recording-jobs.ts'
import { forget as forgetRecordings } from './recordings/recordings.ts'
import { createTalks, type Talks } from './runs/talks.ts'
import { networksOf } from './runs/room/open-run.ts'
import { attendeeFinder, createRecapLinks } from './runs/attendees.ts'
import { liveNow } from './runs/room/rooms.ts'
import { createMinutes } from './sessions/minutes.ts'
import { createBudgets } from './sessions/usage.ts'
import { holdSession, isSessionVouched } from './sessions/session.ts'
import { createSpeech } from './voice/create-speech.ts'
import type { Store, Tx } from './platform/db/store.ts'
import { append } from './platform/db/domain-events.ts'
import { createJobs } from './platform/db/jobs.ts'
import { createVault } from './platform/vault.ts'
import { hostJobs } from './registrations/host-mails.ts'
import { leadCame, toldOfCeiling } from './registrations/mail-choices.ts'
import { registrationJobs, tellOfReplay } from './registrations/mail-jobs.ts'
import {
  addressesOf,
  eraseAddress,
  forget as forgetRegistrants,
  type RegistrationsDeps,
  sessionChanged,
} from './registrations/registrants.ts'
import { forget as forgetWebhooks } from './webhooks/subscription.ts'
import { createWebhooks } from './webhooks/create-webhooks.ts'

export interface AreasParts {
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

/** What a network must have left for a talk to begin. */
const heardAtLeastSec = 10

export type Areas = ReturnType<typeof createAreas>

export function createAreas(config: Config, parts: AreasParts) {
  const { store, clock, ids, log, secrets, isAlone } = parts
  const { baseUrl } = config
  const cursors = createCursors(secrets[0] ?? '')
  // A store that is away is told of by itself, once a minute.
  const warn = (words: string, error?: unknown) => {
    if (!(error instanceof Away)) log.warn(error === undefined ? {} : { err: error }, words)
  }
  const mediaBase = config.assetOrigin ?? baseUrl
  /** What nearly every area is made with. */
  const common = { store, clock, ids, cursors, baseUrl, mediaBase, warn }
  const onFault = (runId: string, error: unknown) => {
    if (!(error instanceof Away)) log.error({ runId, err: error }, 'A run met a fault')
  }

  const userAgent = `Rostrum/${parts.version} (+${baseUrl}/docs)`
  const zoneCounts = createZoneCounts(parseZones(config.dnsblZones).zones.map(({ zone }) => zone))
  const outbound = parts.outbound ?? createOutbound(config, { clock, userAgent, warn, count: zoneCounts.count })
  const { smtpUrl, smtpFrom } = config
  const mail =
    smtpUrl === null
      ? undefined
      : createMailer({ url: smtpUrl, from: smtpFrom, store, clock, ids, secrets, onFailure: (error) => warn(error.message) })
  const auth = createAuth({
    ...common,
    settings: { ...config, secrets },
    rates: config.rates,
    findAttendee: attendeeFinder(store),
    outbound,
    ...(mail && { mail }),
    onFailure: (error) => warn('Background work of auth failed', error),
    ...(parts.passwordCost && { passwordCost: parts.passwordCost }),
  })
  const budgets = { llm: config.llmBudget, tts: config.ttsBudget, stt: config.sttBudget }
  const afford = createBudgets({
    ...common,
    limits: budgets,
    async onReached(tx, { accountId, kind, limit, now }) {
      const actor = { kind: 'nobody', id: null, address: null, requestId: null, now } as const
      await recordAct(tx, ids, actor, { action: 'budget.reached', accountId, data: { budget: kind, limit } })
      warn(`Account ${accountId} has used ROSTRUM_${kind.toUpperCase()}_BUDGET of today.`)
    },
    onFailure: (error) => warn('A budget could not be counted: nothing is sent to models and speech meanwhile.', error),
  })
  const minutes = createMinutes({
    read: store.read,
    plan: config.planMinutes,
    async count(key, mark, { seconds, allowedSec, now }) {
      const checks = networksOf(mark).map(({ network, times }) => ({
        policy: { name: 'heard', count: allowedSec * times, windowMs: 3_600_000 },
        key: `${key} ${network}`,
        cost: seconds === 0 ? heardAtLeastSec : seconds,
      }))
      const { allowed } = await auth.deps.limiter.take(checks, now, false)
      if (allowed && seconds === 0) await auth.deps.limiter.refund(checks)
      return allowed
    },
    append,
    async note(tx, accountId, data, now) {
      const actor = { kind: 'nobody', id: null, address: null, requestId: null, now } as const
      await recordAct(tx, ids, actor, { action: 'budget.reached', accountId, data })
    },
  })
  const affordCall = (sessionId: string) => afford(sessionId, 'llm', 1)
  const affordSpeech = (sessionId: string, characters: number) => afford(sessionId, 'tts', characters)
  const speech = createSpeech(config, clock, warn)
  const blobs =
    store.dialect === 'sqlite'
      ? createFileBlobs(join(config.dataDir, 'blobs'), { store, clock, ids })
      : createClusterBlobs(config.bucket, {
          store,
          clock,
          onFailure: (error) => warn('The bucket of ROSTRUM_BLOBS did not do what it was asked.', error),
        })
  const unclaimed = {
    knowledgeBytes: config.unclaimedKnowledgeBytes,
    films: config.unclaimedFilms,
    claimUriOf: (accountId: string, now: number) => claimUriOf(store.read, accountId, auth.deps, now),
  }
  const storageLimit: StorageLimit = async (db, accountId) => {
    const [all, own] = [config.planStorageBytes, config.unclaimedStorageBytes]
    if (!(await isAgentAccount(db, accountId))) return { bytes: all }
    const bytes = all === null || own === null ? (all ?? own) : Math.min(all, own)
    return { bytes, claimUri: () => unclaimed.claimUriOf(accountId, clock.now()) }
  }
  const leakCheck = createLeakCheck(store)
  // The talks read decks, and decks have their scripts written from what the talks find.
  const searchable: Talks['searchable'] = (sessionId, deckId) => talks.searchable(sessionId, deckId)
  const models = createModels(config, { clock, ids, searchable, leakTestOf: leakCheck.testOf, afford: affordCall, warn })
  const office = officeFor(config.sofficePath, clock)
  const decks = createDecks({
    ...common,
    blobs,
    storageLimit,
    unclaimed,
    readingMs: config.planReadingSeconds === null ? null : config.planReadingSeconds * 1_000,
    outbound,
    compiler: createCompiler(createThreads()),
    compiles: config.role !== 'web',
    writer: models?.writer ?? null,
    ...(models && { translator: models.translator }),
    wpm: config.speechWpm,
    ...(office && { office }),
    ...(speech.voice && { voice: { ...speech.voice, afford: affordSpeech } }),
  })
  const talks = createTalks({
    ...common,
    inService: decks.inService,
    ofRun: decks.ofRun,
    passagesOf,
    ...(decks.clips && { clipsOf: decks.clips.lookup }),
    beatsOf: async (sessionId, deckId) => (await decks.scripts.find(sessionId, deckId ?? undefined))?.beats ?? [],
  })
  const disk = createDisk({ directory: config.dataDir, reserve: config.diskReserve, clock, tell: (words) => log.warn({}, words) })
  const addresses = createSigner(secrets, 'addresses of open runs')
  const embedder = config.embedder === null ? null : openAnyEmbedder(config.embedder, clock)
  const answers = createAnswers({
    talks,
    models: models?.desk ?? null,
    meanings: embedder === null ? null : createMeanings({ embedder, clock, warn }),
    isVouched: (sessionId) => isSessionVouched(store.read, sessionId),
    leakTestOf: leakCheck.testOf,
  })
  const recapLinks = createRecapLinks(secrets, baseUrl)
  const registrations: RegistrationsDeps = {
    ...common,
    title: config.title,
    ...(mail && { mail }),
    mailsMax: config.talkMails,
    links: createSigner(secrets, 'registrations'),
    vault: createVault(secrets, ids),
    async minutesOf(sessionId) {
      const session = await talks.getSession(sessionId)
      const { beats } = await talks.pinnedTalk(sessionId, session?.deckId ?? null)
      const quarters = Math.ceil(beats.reduce((ms, { estMs, pauseMs = 0 }) => ms + estMs + pauseMs, 0) / 900_000)
      return 15 * Math.max(2, quarters)
    },
    recapUrl: recapLinks.linkOf,
  }
  const leads = {
    ...common,
    eraseName: eraseNameEverywhere,
    leadsMax: config.talkLeads,
    burstCame: (tx: Tx, sessionId: string, now: number) => toldOfCeiling(tx, registrations, sessionId, 'leads', now),
    leadCame: (tx: Tx, sessionId: string, now: number) => leadCame(tx, registrations, sessionId, now),
    addressesOf,
    eraseAddress: (tx: Tx, of: { sessionId: string; emailKey: string }, now: number) => eraseAddress(tx, registrations, of, now),
  }
  const live = createLive({
    ...common,
    role: config.role,
    holdsStore: isAlone,
    leaseMs: config.leaseMs,
    questionWindowMs: config.qaWindowMs,
    speechWpm: config.speechWpm,
    content: talks,
    answers,
    leads: {
      consentTextIn,
      save: ({ details, ...origin }) =>
        store.write((tx) => saveLead(tx, details, { ...origin, givenBy: origin.attendee.id }, { ...leads, now: clock.now() })),
    },
    recapLinks,
    mintToken: () => mint('att', ids),
    hashToken: hashSecret,
    minutes,
    openRuns: {
      limits: { session: config.openRunsSession, account: config.openRunsAccount, address: config.openRunsAddress },
      marksOf: (address) => networkSteps(address).map(({ network, times }) => ({ mark: addresses.sign(network), times })),
    },
    ...(decks.translations && { translations: decks.translations }),
    voices: { tts: speech.voice !== null, stt: speech.ears !== null },
    ears: speech.ears,
    affordHearing: (sessionId, seconds) => afford(sessionId, 'stt', seconds),
    keepSound: async (bytes, extension) => `${mediaBase}/media/${await blobs.put(bytes, extension)}`,
    ...(decks.clips && { voice: decks.clips.answers }),
    tellOperator: (report) =>
      mailReport(auth.deps, config.operatorEmail, report).catch((error: unknown) => warn('A report could not be mailed', error)),
    onFault,
  })
  const sessions: OperationDeps['sessions'] = {
    ...decks.deps,
    ...common,
    async planOf(read, accountId) {
      const plan = await planOf(read, accountId, config)
      return plan.perLife ? { ...plan, claimUri: await claimUriOf(read, accountId, auth.deps, clock.now()) } : plan
    },
    minutesLimit: config.planMinutes,
    budgets,
    live: { now: (sessionIds) => liveNow(store.read, sessionIds) },
    brandChanged: (tx, call, accountId) => recordAct(tx, ids, actorOf(call), { action: 'brand.changed', accountId }),
    hasMail: mail !== undefined,
    changed: (tx, sessionId, now) => sessionChanged(tx, registrations, sessionId, now),
    stopRuns: (sessionId) => live.stopRuns(sessionId, 'deleted'),
    tellRuns: live.tellRuns,
    async forget(tx, sessionId, now) {
      // Whoever adds to a session holds it: what has been added is seen below, and nothing is any more.
      await holdSession(tx, sessionId)
      await forgetRegistrants(tx, registrations, sessionId, now)
      // Leads before their events, as where one is erased.
      for (const forget of [forgetLeads, forgetWebhooks, forgetQuestions, forgetFigures, forgetRecordings, decks.forget])
        await forget(tx, sessionId, now)
      await tx.deleteFrom('sessions').where('id', '=', sessionId).execute()
    },
  }
  const answerAgent = async (sessionId: string, asked: PapAsked, caller: PapCaller | null) => {
    const { sentences, end } = await answers.answerAgent(sessionId, asked, caller)
    const { citations, outcome, confidence } = end
    return { sentences, citations, outcome, confidence }
  }
  const rehearsals: RehearsalDeps = {
    room: live.room,
    async contentOf(sessionId) {
      const deck = await decks.inService(store.read, sessionId)
      return deck ?? { language: 'en', slides: [], passages: await passagesOf(store.read, sessionId) }
    },
    leaksIn: leakCheck.leaksIn,
    reach: (url) => reachTarget(outbound, url),
    ask: answerAgent,
    onFault,
  }
  const recordings = {
    ...common,
    content: talks,
    blobs,
    storageLimit,
    unclaimed,
    ffmpeg: config.ffmpeg === 'off' ? null : findProgram(config.ffmpeg ?? 'ffmpeg'),
    ...(decks.clips && { voice: decks.clips.answers }),
    shown: tellOfReplay,
    pace: { speechWpm: config.speechWpm, questionWindowMs: config.qaWindowMs },
  }
  const webhooks = createWebhooks({
    ...common,
    outbound,
    settings: config,
    secrets,
    version: parts.version,
    isAlone,
    credentialScopes: (credentialId, now) => credentialScopes(store.read, credentialId, now),
    audit: (tx, call, action, id, data) =>
      recordAct(tx, ids, actorOf(call), { action, accountId: call.principal.accountId, target: ['webhook', id], data }),
  })
  const pap = {
    ...common,
    ask: answerAgent,
    quote: (sessionId: string, asked: PapAsked) => answerAgent(sessionId, asked, null),
  }

  let stopMoved = () => {}
  const hourly = { everyMs: 3_600_000 }
  const { stopRuns, forget } = sessions
  const jobs = createJobs({
    ...common,
    isAlone,
    kinds: {
      ...(mail && {
        [mailKind]: mail.job,
        [recoveryKind]: recoveryJob(auth.deps, mail),
        ...registrationJobs(registrations),
        ...hostJobs(registrations),
      }),
      ...(config.role !== 'web' && {
        ...decks.jobs,
        ...recordingJobs(recordings),
        'old-contacts': { everyMs: 60_000, run: () => live.room.offers.sweep() },
        'old-webhooks': { ...hourly, run: async () => void (await webhooks.sweep()) },
        'old-accounts': { ...hourly, run: () => sweepAuth({ store, stopRuns, forget }, clock.now()) },
      }),
    },
    onFailure: (kind, error) => warn(`A job failed: ${kind}`, error),
  })

  return {
    operations: operations({
      sessions,
      analytics: {
        ...common,
        recapUrl: recapLinks.linkOf,
        async sameQuestion(sessionId) {
          const session = await store.read.selectFrom('sessions').select('deck_id').where('id', '=', sessionId).executeTakeFirst()
          return talks.sameQuestion(sessionId, session?.deck_id ?? null)
        },
      },
      leads,
      registrations,
      pap,
      decks: decks.deps,
      room: live.room,
      runs: common,
      rehearsals,
      recordings,
      webhooks: webhooks.deps,
      auth: auth.deps,
    }),
    auth,
    decks,
    talks,
    live,
    webhooks,
    jobs,
    sessions,
    registrations,
    /** Values for `/metrics`. */
    disk,
    gauges: (): ReturnType<Gauges> => ({ ...disk.gauges(), ...webhooks.gauges(), ...zoneCounts.gauges(), ...speech.gauges() }),
    /** Background work: runs, decks. */
    async start() {
      // Not waited for: the first question that comes before would load them itself.
      disk.start()
      models?.warm()
      embedder?.warm().catch((error: unknown) => warn('The model that measures meaning could not be loaded.', error))
      await live.start()
      await jobs.start()
      if (config.role === 'web') return
      await decks.start()
      // What nobody vouched for had no voice: its script is said from the claim on.
      stopMoved = store.listen(movedTopic, (topic) => decks.scripts.refresh(topic.slice(movedTopic.length)))
      await webhooks.start()
    },
    /** Hands runs over. Before the streams are closed, so that another process goes on at once. */
    drain: () => live.drain(),
    async close() {
      stopMoved()
      disk.close()
      await jobs.close()
      live.close()
      models?.close()
      embedder?.close()
      await webhooks.close()
      await decks.close()
      talks.close()
      speech.close()
      leakCheck.close()
      await outbound.close()
      await auth.close()
    },
  }
}
