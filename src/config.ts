// The one door to the environment: every variable is read once into a frozen Config, and a bad one stops the start with
// every problem listed. `rostrum config` prints the effective values.
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { meanings, rateMeanings } from './config-meanings.ts'
import type { EmbedSettings, ModelSettings } from './config-models.ts'
import { embedSettings, modelChain } from './config-models.ts'
import type { SpeechSettings } from './config-speech.ts'
import { speechSettings } from './config-speech.ts'
import type { RateBucket } from './platform/operation.ts'
import * as value from './config-values.ts'

interface Variable<T> {
  name: string
  /** As it would be written; undefined where absence has a meaning of its own. */
  byDefault: string | undefined
  /** How `rostrum config` shows it: hidden whole, or without the password of an address. */
  hide?: 'all' | 'password'
  read: (written: string | undefined) => T
}

function variable<T>(name: string, byDefault: string, read: value.Read<T>): Variable<T> {
  return { name, byDefault, read: (written) => read(written ?? byDefault) }
}

function optional<T>(name: string, read: value.Read<T>, hide?: 'all' | 'password'): Variable<T | null> {
  return { name, byDefault: undefined, ...(hide && { hide }), read: (written) => (written === undefined ? null : read(written)) }
}

function several<T>(name: string, item: value.Read<T>, hide?: 'all' | 'password', byDefault = ''): Variable<readonly T[]> {
  const read = value.listOf(item)
  return { name, byDefault, ...(hide && { hide }), read: (written) => read(written ?? byDefault) }
}

const million = 1_000_000
const day = 86_400_000
const languageModel = value.model('openai', 'anthropic', 'google', 'compatible', 'llama')
const speechModel = value.model('openai', 'compatible', 'espeak', 'sherpa')
const ears = value.model('openai', 'compatible', 'sherpa')
const httpAddress = value.address('http:', 'https:')

const variables = {
  port: variable('ROSTRUM_PORT', '4400', value.integer(0, 65_535)),
  host: variable('ROSTRUM_HOST', '127.0.0.1', value.text),
  baseUrl: optional('ROSTRUM_BASE_URL', value.baseUrl),
  dataDir: variable('ROSTRUM_DATA_DIR', './data', value.path),
  databaseUrl: optional('DATABASE_URL', value.address('postgres:', 'postgresql:'), 'password'),
  role: variable('ROSTRUM_ROLE', 'all', value.oneOf('all', 'web', 'worker')),
  /** First signs, all verify; empty: generated into the data directory. */
  secrets: several('ROSTRUM_SECRET', value.signingSecret, 'all'),
  ownerEmail: optional('ROSTRUM_OWNER_EMAIL', value.text),
  ownerPassword: optional('ROSTRUM_OWNER_PASSWORD', value.text, 'all'),
  signup: variable('ROSTRUM_SIGNUP', 'invite', value.oneOf('invite', 'closed')),
  llm: several('ROSTRUM_LLM', languageModel),
  llama: optional('ROSTRUM_LLAMA', value.path),
  /** One each in the order of the chain, or one for all where that is clear; the same holds for the keys (config-models.ts). */
  llmBaseUrls: several('ROSTRUM_LLM_BASE_URL', value.orNone(value.serverAddress)),
  llmApiKeys: several('ROSTRUM_LLM_API_KEY', value.orNone(value.text), 'all'),
  llmPrices: several('ROSTRUM_LLM_PRICES', value.orNone(value.price)),
  openaiApiKey: optional('OPENAI_API_KEY', value.text, 'all'),
  anthropicApiKey: optional('ANTHROPIC_API_KEY', value.text, 'all'),
  googleApiKey: optional('GOOGLE_GENERATIVE_AI_API_KEY', value.text, 'all'),
  embed: optional('ROSTRUM_EMBED', value.model('openai', 'compatible', 'llama')),
  embedApiKey: optional('ROSTRUM_EMBED_API_KEY', value.text, 'all'),
  llmConcurrency: variable('ROSTRUM_LLM_CONCURRENCY', '8', value.integer(1, 1_000)),
  llmLayouts: variable('ROSTRUM_LLM_LAYOUTS', '1', value.flag),
  llmBudget: variable('ROSTRUM_LLM_BUDGET', '2000', value.budget),
  tts: optional('ROSTRUM_TTS', speechModel),
  ttsBaseUrl: optional('ROSTRUM_TTS_BASE_URL', value.serverAddress),
  ttsApiKey: optional('ROSTRUM_TTS_API_KEY', value.text, 'all'),
  ttsVoice: variable('ROSTRUM_TTS_VOICE', 'alloy', value.text),
  ttsBudget: variable('ROSTRUM_TTS_BUDGET', '500000', value.budget),
  stt: optional('ROSTRUM_STT', ears),
  sttBaseUrl: optional('ROSTRUM_STT_BASE_URL', value.serverAddress),
  sttApiKey: optional('ROSTRUM_STT_API_KEY', value.text, 'all'),
  sttBudget: variable('ROSTRUM_STT_BUDGET', '7200', value.budget),
  speechWpm: variable('ROSTRUM_SPEECH_WPM', '150', value.integer(60, 60_000)),
  qaWindowMs: variable('ROSTRUM_QA_WINDOW_MS', '15000', value.integer(0, 3_600_000)),
  leaseMs: variable('ROSTRUM_LEASE_MS', '1500', value.integer(100, 60_000)),
  sofficePath: optional('ROSTRUM_SOFFICE', value.text),
  webhookRetryMs: several('ROSTRUM_WEBHOOK_RETRY_MS', value.integer(0, 30 * day), undefined, '120000,1800000'),
  webhookTimeoutMs: variable('ROSTRUM_WEBHOOK_TIMEOUT_MS', '20000', value.integer(100, 120_000)),
  webhookConcurrency: variable('ROSTRUM_WEBHOOK_CONCURRENCY', '64', value.integer(1, 10_000)),
  webhookEndpointConcurrency: variable('ROSTRUM_WEBHOOK_ENDPOINT_CONCURRENCY', '4', value.integer(1, 1_000)),
  webhookDisableAfterMs: variable('ROSTRUM_WEBHOOK_DISABLE_AFTER_MS', String(3 * day), value.integer(0, 365 * day)),
  webhookRetentionDays: variable('ROSTRUM_WEBHOOK_RETENTION_DAYS', '30', value.integer(1, 3_650)),
  egressAllow: several('ROSTRUM_EGRESS_ALLOW', value.egressRange),
  egressPorts: several('ROSTRUM_EGRESS_PORTS', value.integer(1, 65_535), undefined, '443,8443'),
  insecureHttp: variable('ROSTRUM_INSECURE_HTTP', '0', value.flag),
  dnsServers: several('ROSTRUM_DNS_SERVERS', value.nameServer),
  dnsblZones: { ...several('ROSTRUM_DNSBL_ZONES', value.blocklistZone), read: readZones },
  dnsblResolvers: several('ROSTRUM_DNSBL_RESOLVER', value.nameServer),
  dnsblFail: variable('ROSTRUM_DNSBL_FAIL', 'open', value.oneOf('open', 'closed')),
  dnsblList: optional('ROSTRUM_DNSBL_LIST', value.path),
  planSessions: variable('ROSTRUM_PLAN_SESSIONS', '1000', value.integer(0, million)),
  /** null: unlimited. */
  planMinutes: optional('ROSTRUM_PLAN_MINUTES', value.integer(0, 1_000 * million)),
  planStorageBytes: variable('ROSTRUM_PLAN_STORAGE', '5GiB', value.sizeBytes),
  openRunsSession: variable('ROSTRUM_OPEN_RUNS_SESSION', '2000', value.budget),
  openRunsAccount: variable('ROSTRUM_OPEN_RUNS_ACCOUNT', '5000', value.budget),
  openRunsAddress: variable('ROSTRUM_OPEN_RUNS_ADDRESS', '200', value.budget),
  trustedIssuers: optional('ROSTRUM_TRUSTED_ISSUERS', value.trustedIssuers),
  anonymous: variable('ROSTRUM_ANONYMOUS', '1', value.flag),
  agentTtlMs: variable('ROSTRUM_AGENT_TTL', '24h', value.durationMs),
  agentClaimedTtlMs: variable('ROSTRUM_AGENT_CLAIMED_TTL', '90d', value.durationMs),
  assetOrigin: optional('ROSTRUM_ASSET_ORIGIN', value.origin),
  mcpRequireAuth: variable('ROSTRUM_MCP_REQUIRE_AUTH', '0', value.flag),
  mcpAppDomain: optional('ROSTRUM_MCP_APP_DOMAIN', value.host),
  allowedHosts: several('ROSTRUM_ALLOWED_HOSTS', value.host),
  corsOrigins: several('ROSTRUM_CORS_ORIGINS', value.originOrAny),
  title: variable('ROSTRUM_TITLE', 'Rostrum', value.text),
  natsUrl: optional('NATS_URL', value.address('nats:', 'tls:', 'ws:', 'wss:'), 'password'),
  otlpEndpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', httpAddress),
  metricsToken: optional('ROSTRUM_METRICS_TOKEN', value.text, 'all'),
  apiKey: optional('ROSTRUM_API_KEY', value.text, 'all'),
  url: optional('ROSTRUM_URL', value.baseUrl),
  smtpUrl: optional('ROSTRUM_SMTP_URL', value.address('smtp:', 'smtps:'), 'password'),
  smtpFrom: optional('ROSTRUM_SMTP_FROM', value.mailbox),
  operatorEmail: optional('ROSTRUM_OPERATOR_EMAIL', value.mailbox),
  trustProxy: several('ROSTRUM_TRUST_PROXY', value.cidr),
  log: variable('ROSTRUM_LOG', 'info', value.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')),
} as const

function readZones(written: string | undefined): readonly string[] {
  return value.listOf(value.blocklistZone, /\s+/)(written ?? '')
}

const rateDefaults: Readonly<Record<RateBucket, string>> = {
  api: '120/1m',
  register: '10/1h',
  signin: '10/15m',
  claim: '30/10m',
  clients: '20/1h',
  pages: '60/1h',
  join: '600/1m',
  room: '600/1m',
  questions: '20/1m',
  pap: '20/1m',
  lead: '20/1m',
  discovery: '600/1m',
  upload: '60/1h',
  report: '5/1h',
}

function rateVariable(bucket: RateBucket): Variable<value.Rate | 'off'> {
  const byDefault = rateDefaults[bucket]
  const window = value.durationMs(byDefault.slice(byDefault.indexOf('/') + 1))
  return variable(`ROSTRUM_RATE_${bucket.toUpperCase()}`, byDefault, value.rate(window))
}

const buckets = Object.keys(rateDefaults) as RateBucket[]

type KeyName = 'openaiApiKey' | 'anthropicApiKey' | 'googleApiKey'
/** Read into `models`, `voice` and `ears`. */
type Joined =
  | 'llm'
  | 'embed'
  | 'embedApiKey'
  | 'llmBaseUrls'
  | 'llmApiKeys'
  | 'llmPrices'
  | `tts${'' | 'BaseUrl' | 'ApiKey'}`
  | `stt${'' | 'BaseUrl' | 'ApiKey'}`

type Values = { readonly [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['read']> }

export interface Config extends Omit<Values, 'baseUrl' | 'smtpFrom' | Joined | KeyName> {
  /** The models of `ROSTRUM_LLM`, in order; empty: answers quote. */
  readonly models: readonly ModelSettings[]
  /** The server or the file of `ROSTRUM_EMBED`; null: words alone. */
  readonly embedder: EmbedSettings | null
  /** `ROSTRUM_TTS` and `ROSTRUM_STT`; null: the browser's own. */
  readonly voice: SpeechSettings | null
  readonly ears: SpeechSettings | null
  /** The origin that every link, issuer and challenge is built from; never the `Host` of a request. */
  readonly baseUrl: string
  /** The sender of mails, as a header says it. */
  readonly smtpFrom: string
  readonly rates: Readonly<Record<RateBucket, value.Rate | 'off'>>
}

export interface ReadConfig {
  /** Undefined when there are problems. */
  config: Config | undefined
  /** One line each, starting with the variable's name. */
  problems: readonly string[]
  warnings: readonly string[]
}

type Env = Readonly<Record<string, string | undefined>>

/** Variables that other parts of the project read: the benchmark's text set. */
const alsoKnown = new Set(['ROSTRUM_QA_PROSE'])

/** Reads `env`; never throws. An empty variable counts as absent. */
export function readConfig(env: Env): ReadConfig {
  const problems: string[] = []
  const read = <T>(from: Variable<T>): T | undefined => {
    try {
      return from.read(env[from.name]?.trim() || undefined)
    } catch (error) {
      if (!(error instanceof value.BadValue)) throw error
      problems.push(`${from.name}: ${error.message}.`)
      return undefined
    }
  }
  const entries = Object.entries(variables).map(([key, from]) => [key, read<unknown>(from)])
  // Every member was read by its own reader above; a failed one leaves a problem, and then no Config is handed out.
  const values = Object.fromEntries(entries) as Values
  const rates = Object.fromEntries(buckets.map((bucket) => [bucket, read(rateVariable(bucket))])) as Config['rates']
  if (values.port === 0 && values.baseUrl === null)
    problems.push('ROSTRUM_BASE_URL: is needed with ROSTRUM_PORT=0, because the port is not known before.')
  if (values.databaseUrl && values.secrets?.length === 0) {
    problems.push('ROSTRUM_SECRET: is needed with DATABASE_URL, because every process must sign with the same one.')
  }
  if ((values.ownerEmail === null) !== (values.ownerPassword === null)) {
    problems.push('ROSTRUM_OWNER_EMAIL: set it together with ROSTRUM_OWNER_PASSWORD, or neither.')
  }
  if (values.webhookRetryMs && values.webhookRetryMs.length !== 2) {
    problems.push('ROSTRUM_WEBHOOK_RETRY_MS: write two delays, after the first and the second attempt, such as 120000,1800000.')
  }
  const hasModels = values.llm && values.llmBaseUrls && values.llmApiKeys && values.llmPrices && values.dataDir
  const { chain: models, problems: faults } = hasModels ? modelChain(values) : { chain: [], problems: [] }
  problems.push(...faults)
  const embedder = values.dataDir ? embedSettings({ ...values, dataDir: values.dataDir }) : { settings: null }
  if (embedder.problem !== undefined) problems.push(embedder.problem)
  const voice = speechSettings('ROSTRUM_TTS', values.tts, {
    baseUrl: values.ttsBaseUrl,
    own: values.ttsApiKey,
    ofOpenai: values.openaiApiKey,
    dataDir: values.dataDir,
  })
  const ears = speechSettings('ROSTRUM_STT', values.stt, {
    baseUrl: values.sttBaseUrl,
    own: values.sttApiKey,
    ofOpenai: values.openaiApiKey,
    dataDir: values.dataDir,
  })
  for (const problem of [voice.problem, ears.problem]) if (problem !== undefined) problems.push(problem)
  const baseUrl = values.baseUrl ?? `http://localhost:${values.port}`
  const smtpFrom = values.smtpFrom ?? `rostrum@${URL.parse(baseUrl)?.hostname ?? 'localhost'}`
  const config = Object.freeze({
    ...values,
    baseUrl,
    smtpFrom,
    models,
    embedder: embedder.settings,
    voice: voice.settings,
    ears: ears.settings,
    rates: Object.freeze(rates),
  })
  return { config: problems.length === 0 ? config : undefined, problems, warnings: [...unknownNames(env), ...withoutEffect(env)] }
}

function withoutEffect(env: Env): string[] {
  const isSet = (name: string) => (env[name] ?? '').trim() !== ''
  return [
    ...['TTS_BASE_URL', 'TTS_API_KEY', 'TTS_VOICE', 'STT_BASE_URL', 'STT_API_KEY']
      .filter((name) => isSet(`ROSTRUM_${name}`) && !isSet(`ROSTRUM_${name.slice(0, 3)}`))
      .map((name) => `ROSTRUM_${name}: has no effect without ROSTRUM_${name.slice(0, 3)}.`),
    ...(isSet('ROSTRUM_EMBED_API_KEY') && !isSet('ROSTRUM_EMBED') ? ['ROSTRUM_EMBED_API_KEY: has no effect without ROSTRUM_EMBED.'] : []),
    ...(isSet('NATS_URL') && !isSet('DATABASE_URL') ? ['NATS_URL: has no effect without DATABASE_URL.'] : []),
  ]
}

function unknownNames(env: Env): string[] {
  const known = new Set([...allVariables().map(({ name }) => name), ...alsoKnown])
  const unknown = Object.keys(env).filter((name) => name.startsWith('ROSTRUM_') && !known.has(name))
  return unknown.map((name) => `${name}: no such variable; \`rostrum config\` lists them.`)
}

function allVariables(): (Variable<unknown> & { meaning: string })[] {
  const keys = Object.keys(variables) as (keyof typeof variables)[]
  return [
    ...keys.map((key) => ({ ...variables[key], meaning: meanings[key] })),
    ...buckets.map((bucket) => ({ ...rateVariable(bucket), meaning: `${rateMeanings[bucket]}; off for no limit` })),
  ]
}

/** The process's environment over `.env` of the working directory. */
export function environment(): Env {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {}
  return { ...file, ...process.env }
}

export interface ShownVariable {
  name: string
  value: string
  isSet: boolean
  /** What it is for. */
  meaning: string
}

/** The effective value of every variable as text, secrets masked. */
export function showConfig(env: Env): ShownVariable[] {
  return allVariables().map(({ name, byDefault = '', hide, meaning }) => {
    const written = env[name]?.trim() || undefined
    return { name, value: masked(written ?? byDefault, hide), isSet: written !== undefined, meaning }
  })
}

function masked(written: string, hide: Variable<unknown>['hide']): string {
  if (written === '' || hide === undefined) return written
  return hide === 'all'
    ? '********'
    : written.replace(/\/\/[^@/]*@/, '//********@').replace(/([?&](?:password|token)=)[^&]*/gi, '$1********')
}
