// `rostrum doctor`: whether the service can do its work here, and what to do where it cannot. Exit 1 if something is broken;
// what is only absent (no model, no blocklist) is said and is fine.
import { openBucket } from '../platform/blobs/blob-stores.ts'
import { Resolver } from 'node:dns/promises'
import { createServer } from 'node:net'
import { smtpProblem } from '../accounts/mail.ts'
import type { Config } from '../config/config.ts'
import { decksToMend } from '../decks/slide-warnings.ts'
import { openEyes, recognisedLanguages } from '@rostrum/deck/recognition/tesseract'
import { reachedToday } from '../sessions/usage.ts'
import { secretSource, signingSecrets } from '../installation.ts'
import { systemClock, systemIds } from '@rostrum/base/clock'
import { checkSecret } from '../sealed.ts'
import { openToOthers, prepareDirectory } from '../platform/db/sqlite.ts'
import { reserveOf, roomOf } from '../platform/disk.ts'
import { createOutbound } from '../platform/egress/outbound.ts'
import { wavFrom } from '../voice/audio.ts'
import { openEspeakVoice, openLocalEars, openLocalVoice } from '../voice/local-speech.ts'
import type { Run } from './command.ts'
import { openAnyEmbedder } from '../models/open-model.ts'
import { tryEmbedder, tryModel } from './models.ts'
import { type Tools, withTools } from './tools.ts'

export interface Finding {
  check: string
  state: 'ok' | 'off' | 'broken'
  words: string
}

type Check = (config: Config) => Promise<Omit<Finding, 'check'>>

const ok = (words: string) => ({ state: 'ok', words }) as const
const off = (words: string) => ({ state: 'off', words }) as const
const broken = (words: string) => ({ state: 'broken', words }) as const

const checks: Readonly<Record<string, Check>> = {
  store: checkStore,
  secret: checkItsSecret,
  disk: checkDisk,
  files: checkFiles,
  port: checkPort,
  address: checkAddress,
  egress: checkEgress,
  blocklist: checkBlocklist,
  mail: checkMail,
  model: checkModels,
  meaning: checkMeaning,
  voice: checkVoice,
  pictures: checkPictures,
  decks: checkDecks,
  budgets: checkBudgets,
  hearing: checkHearing,
}

export const run: Run = async ({ config: read, print }) => {
  const config = read()
  const findings = await Promise.all(
    Object.entries(checks).map(async ([check, look]): Promise<Finding> => {
      const found = await look(config).catch((error: unknown) => broken(error instanceof Error ? error.message : String(error)))
      return { check, ...found }
    }),
  )
  const marks = { ok: 'ok    ', off: 'off   ', broken: 'BROKEN' } as const
  print.result(findings.map(({ check, state, words }) => `${marks[state]}  ${check.padEnd(10)} ${words}`).join('\n'), { findings })
  return findings.some(({ state }) => state === 'broken') ? 1 : 0
}

let looking: Promise<unknown> = Promise.resolve()

/** One look after the other: of two that make an empty store at once, one finds it locked. */
function inStore<T>(config: Config, work: (tools: Tools) => Promise<T>): Promise<T> {
  const found = looking.then(() => withTools(config, work, { isSecretChecked: false }))
  looking = found.catch(() => undefined)
  return found
}

async function checkStore(config: Config) {
  const dialect = await inStore(config, async ({ store }) => {
    await store.read.selectFrom('sessions').select('id').limit(1).execute()
    return store.dialect
  })
  return ok(dialect === 'sqlite' ? `SQLite in ${config.dataDir}, at this version` : 'PostgreSQL, at this version')
}

async function checkItsSecret(config: Config) {
  const secrets = signingSecrets(config, systemIds)
  await inStore(config, ({ store }) => checkSecret(store, { secrets, source: secretSource(config), ids: systemIds }))
  return ok('it opens what the store has sealed')
}

async function checkDisk({ dataDir, databaseUrl, diskReserve }: Config) {
  if (databaseUrl !== null) return off('everything is in PostgreSQL')
  prepareDirectory(dataDir)
  const open = openToOthers(dataDir)
  if (open !== undefined) return broken(open)
  const room = roomOf(dataDir)
  const words = `${(room.freeBytes / 1_073_741_824).toFixed(1)} GiB free in ${dataDir}`
  const isBelow = diskReserve !== null && room.freeBytes < reserveOf(diskReserve, room)
  return isBelow
    ? broken(`${words}, less than ROSTRUM_DISK_RESERVE, so uploads are refused: make room, or move ROSTRUM_DATA_DIR.`)
    : ok(words)
}

/** Free, or already served by Rostrum. */
async function checkFiles({ bucket: settings, databaseUrl, dataDir }: Config) {
  if (settings === null) return off(databaseUrl === null ? `files lie in ${dataDir}` : 'files are rows of PostgreSQL (ROSTRUM_BLOBS)')
  const name = `doctor-${process.pid}`
  try {
    const bucket = await openBucket(settings, serverMs)
    await bucket.putObject(name, 'ready')
    const found = await bucket.getObject(name)
    await bucket.deleteObject(name)
    if (found === 'ready') return ok(`${settings.address} keeps what it is given`)
    return broken(`${settings.address} gave back something else than it was given.`)
  } catch (error) {
    const words = error instanceof Error ? error.message.slice(0, 200) : 'no reason given'
    return broken(
      `${settings.address} does not keep files (${words}): check ROSTRUM_BLOBS, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION.`,
    )
  }
}

async function checkPort({ host, port }: Config) {
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
  if (free) return ok(`${host}:${port} is free`)
  const answer = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`, {
    // The other checks keep this process busy for seconds.
    signal: AbortSignal.timeout(serverMs),
  }).catch(() => undefined)
  if (answer?.ok) return ok(`Rostrum answers on ${host}:${port}`)
  return broken(`${host}:${port} is taken by another program: stop it, or set ROSTRUM_PORT.`)
}

async function checkAddress({ baseUrl, host, databaseUrl }: Config) {
  const { protocol, hostname } = new URL(baseUrl)
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
  if (isLocal && host !== '127.0.0.1' && host !== 'localhost') {
    return broken(`It listens on ${host}, but its links say ${baseUrl}: set ROSTRUM_BASE_URL to its public address.`)
  }
  if (isLocal) return databaseUrl === null ? ok(`${baseUrl}, on this machine only`) : broken(`Links say ${baseUrl}: set ROSTRUM_BASE_URL.`)
  if (protocol === 'http:') return broken(`${baseUrl} is not encrypted: put a proxy with TLS before it, and set ROSTRUM_BASE_URL to https.`)
  const addresses = await resolverOf([])
    .resolve4(hostname)
    .catch(() => [])
  return addresses.length > 0 ? ok(`${baseUrl} resolves`) : broken(`${hostname} does not resolve from here: check its DNS record.`)
}

/** A name that every resolver knows; nothing is fetched from it. */
const knownName = 'example.com'

async function checkEgress({ dnsServers, insecureHttp, egressAllow }: Config) {
  const open = egressAllow.length === 0 ? '' : `; private ranges opened: ${egressAllow.join(' ')}`
  const addresses = await resolverOf(dnsServers)
    .resolve4(knownName)
    .catch(() => [])
  if (addresses.length === 0)
    return off('names do not resolve: webhooks and deck addresses will fail until this machine has DNS (or set ROSTRUM_DNS_SERVERS)')
  return ok(`names resolve${insecureHttp ? '; http:// destinations are allowed (development)' : ''}${open}`)
}

async function checkBlocklist(config: Config) {
  const { dnsblZones, dnsblList } = config
  if (dnsblZones.length === 0) return dnsblList === null ? off('no zone is set (ROSTRUM_DNSBL_ZONES)') : ok(`the list in ${dnsblList}`)
  const outbound = createOutbound(config, { clock: systemClock, userAgent: 'rostrum doctor' })
  const failing = await outbound.blocklist.probe()
  await outbound.close()
  if (failing.length === 0) return ok(`${dnsblZones.length} zone(s) answer`)
  return broken(
    `${failing.join(', ')} does not list its test entry alone: many lists refuse public resolvers, so set ROSTRUM_DNSBL_RESOLVER.`,
  )
}

async function checkMail({ smtpUrl, smtpFrom }: Config) {
  if (smtpUrl === null) return off('none is sent: links are printed and handed over (ROSTRUM_SMTP_URL)')
  const { host } = new URL(smtpUrl)
  const problem = await smtpProblem(smtpUrl)
  return problem === undefined ? ok(`${host} takes mails from ${smtpFrom}`) : broken(`${host} does not (${problem}): set ROSTRUM_SMTP_URL.`)
}

const publicApis: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
}

/** Every model of the chain, side by side: one that is broken is said, even where another would take over. */
async function checkModels({ models }: Config) {
  if (models.length === 0) return off('none: answers quote the deck (ROSTRUM_LLM)')
  const found = await Promise.all(
    models.map((model) => (model.provider === 'llama' ? checkLocalModel(model) : checkModel('model', model, model.baseUrl, model.apiKey))),
  )
  const words = found.map((finding) => finding.words).join('; ')
  return found.some(({ state }) => state === 'broken') ? broken(words) : ok(words)
}

async function checkLocalModel({ model: file, engine = '' }: { model: string; engine?: string }) {
  const { loadedMs, firstMs, ms, tokens } = await tryModel({ engine, file }, 'Say: ready.', 8)
  return ok(`llama in ${file}, loaded in ${loadedMs} ms, first word after ${firstMs} ms, ${tokens} tokens in ${ms} ms`)
}

/** Two texts are measured: what is no embedding model fails here instead of at a question. */
async function checkMeaning({ embedder: settings }: Config) {
  if (settings === null) return off('words alone (ROSTRUM_EMBED)')
  const { dimensions, loadedMs, ms } = await tryEmbedder(openAnyEmbedder(settings, systemClock))
  const where =
    settings.provider === 'llama' ? `llama in ${settings.model}, loaded in ${loadedMs} ms` : `${settings.provider}:${settings.model}`
  return ok(`${where} measures a text in ${dimensions} numbers, ${ms} ms`)
}

/** A program of this machine says a word, which costs nothing; a server is asked whether it is there. */
async function checkVoice({ voice, ttsVoice }: Config) {
  if (voice?.provider === 'sherpa') return checkLocalVoice(voice.model, ttsVoice)
  if (voice?.provider !== 'espeak') return checkModel('voice', voice, voice?.baseUrl ?? null, voice?.apiKey ?? null)
  const { ms } = await openEspeakVoice(voice.model).say('Ready.', voice.model)
  return ok(`espeak on this machine says "Ready." in ${ms} ms`)
}

async function checkLocalVoice(folder: string, wanted: string) {
  const opened = openLocalVoice(folder, wanted, systemClock)
  try {
    await opened.warm()
    const since = systemClock.elapsed()
    const { ms } = await opened.say('Ready.', opened.voiceByDefault)
    const tookMs = Math.round(systemClock.elapsed() - since)
    const others = opened.speakers.length > 1 ? `, voice ${opened.voiceByDefault} of ${opened.speakers.length}` : ''
    return ok(`${opened.kind} in ${folder}${others}: "Ready." is ${ms} ms of sound, made in ${tookMs} ms`)
  } finally {
    opened.close?.()
  }
}

async function checkHearing({ ears }: Config) {
  if (ears?.provider !== 'sherpa') return checkModel('hearing', ears, ears?.baseUrl ?? null, ears?.apiKey ?? null)
  const opened = openLocalEars(ears.model, systemClock)
  try {
    const rate = 16_000
    await opened.hear({ bytes: wavFrom(new Float32Array(rate), rate), kind: 'wav', language: 'en' })
    return ok(`${opened.kind} in ${ears.model} hears a second of silence`)
  } finally {
    opened.close?.()
  }
}

/** Each language has a model; without one its pictures keep their words to themselves. */
async function checkPictures() {
  const missing: string[] = []
  for (const language of recognisedLanguages)
    await openEyes(language).then(
      (eyes) => eyes.close(),
      () => void missing.push(language),
    )
  if (missing.length === 0) return ok(`words of pictures are read in ${recognisedLanguages.join(', ')}`)
  return off(`words of pictures are not read in ${missing.join(', ')}: install the packages anew (npm install)`)
}

const shownAtMost = 3

/** What was lost or guessed is for the hosts; whoever runs the service sees where it is. */
async function checkDecks(config: Config) {
  const { looked, found } = await inStore(config, ({ store }) => decksToMend(store.read))
  if (found.length === 0) return ok(looked === 0 ? 'there are none yet' : `nothing to look at in the newest ${looked}`)
  const named = found
    .slice(0, shownAtMost)
    .map(({ title, codes }) => `"${title}" (${[...codes].map(([code, times]) => `${times} ${code}`).join(', ')})`)
  const more = found.length > shownAtMost ? ` and ${found.length - shownAtMost} more` : ''
  return ok(`${found.length} of the newest ${looked} have something for their host to look at: ${named.join(', ')}${more}`)
}

/** A used-up budget is what it is for, and still the reason why answers quote and the browser speaks. */
async function checkBudgets(config: Config) {
  const reached = await inStore(config, ({ store, clock }) => reachedToday(store.read, clock.now()))
  if (reached.length === 0) return ok('none was used up today (UTC)')
  const named = reached.slice(0, shownAtMost).map(({ accountId, kind }) => `ROSTRUM_${kind.toUpperCase()}_BUDGET by account ${accountId}`)
  const more = reached.length > shownAtMost ? ` and ${reached.length - shownAtMost} more` : ''
  return ok(`used up today (UTC): ${named.join(', ')}${more}; raise them, or wait for midnight`)
}

/** Whether it answers to its key, by the list of models that each provider has. */
async function checkModel(
  what: string,
  chosen: { provider: string; model: string } | null,
  configured: string | null,
  apiKey: string | null,
) {
  if (chosen === null) return off(`none: the browser's own is used`)
  const { provider, model } = chosen
  const url = configured ?? publicApis[provider]
  if (url === undefined) return broken(`${provider}:${model} needs the address of its server (..._BASE_URL).`)
  const headers: Record<string, string> =
    apiKey === null
      ? {}
      : provider === 'anthropic'
        ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
        : provider === 'google'
          ? { 'x-goog-api-key': apiKey }
          : { authorization: `Bearer ${apiKey}` }
  const answer = await fetch(`${url.replace(/\/$/, '')}/models`, { headers, signal: AbortSignal.timeout(serverMs) }).catch(() => undefined)
  if (answer === undefined) return broken(`${provider}:${model}: ${url} does not answer.`)
  if (answer.status === 401 || answer.status === 403) return broken(`${provider}:${model}: ${url} refuses the key: set ..._API_KEY.`)
  const listed = answer.ok ? namesIn(await answer.text().catch(() => '')) : []
  // A server without a list, or with a page of it, says nothing about this one.
  if (what === 'model' && listed.length > 0 && listed.length < pageOfModels && !listed.includes(model))
    return broken(`${provider}:${model}: ${url} has no such model; it has ${listed.slice(0, 5).join(', ')}.`)
  return ok(`${provider}:${model}, ${url} answers`)
}

/** A server of this machine may be loading its model. */
const serverMs = 20_000
/** Lists are paged; a shorter one is whole. */
const pageOfModels = 20

/** OpenAI and Anthropic: `{ data: [{ id }] }`; Google: `{ models: [{ name: "models/..." }] }`. */
function namesIn(text: string): string[] {
  const found = text.matchAll(/"(?:id|name)"\s*:\s*"(?:models\/)?([^"]{1,200})"/g)
  return [...new Set([...found].map(([, name = '']) => name))]
}

function resolverOf(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  if (servers.length > 0) resolver.setServers([...servers])
  return resolver
}
