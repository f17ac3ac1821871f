// The one door to the environment: a table of every variable, with its name, what it may be, what it is without being set, and what it
// is for, in the words of `rostrum config` and of /docs/operate. All are read once into a frozen Config, and bad ones stop the start with
// every problem listed.
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import {
  type BucketSettings,
  bucketSettings,
  type EmbedSettings,
  embedSettings,
  modelChain,
  type ModelSettings,
  type SpeechSettings,
  speechSettings,
} from './servers.ts'
import * as value from './values.ts'

/** How `rostrum config` shows a value: hidden whole, or without the password of an address. */
type Hide = 'all' | 'password'
const about = z.registry<{ env: string; byDefault?: string; hide?: Hide | undefined }>()

const env = <T extends z.ZodType<unknown, string>>(name: string, schema: T, byDefault: string, hide?: Hide) => {
  const setting = z.string().default(byDefault).pipe(schema)
  about.add(setting, { env: name, byDefault, hide })
  return setting
}
/** Absent: null. */
const maybe = <T extends z.ZodType<unknown, string>>(name: string, schema: T, hide?: Hide) => {
  const setting = schema.nullable().default(null)
  about.add(setting, { env: name, hide })
  return setting
}

const million = 1_000_000
const day = 86_400_000
const { integer, listOf, oneOf, address, serverAddress, model, nameServer, orNone, text, path, flag, budget } = value

const settings = {
  port: env('ROSTRUM_PORT', integer(0, 65_535), '4400').describe('where it listens; 0 takes a free one'),
  host: env('ROSTRUM_HOST', text, '127.0.0.1').describe('the address it listens on; 0.0.0.0 for all'),
  baseUrl: maybe('ROSTRUM_BASE_URL', value.baseUrl).describe('the public address: every link, issuer and challenge is built from it'),
  dataDir: env('ROSTRUM_DATA_DIR', path, './data').describe('the SQLite file, blobs and keys, with one machine'),
  diskReserve: env('ROSTRUM_DISK_RESERVE', value.reserve, '1GiB,5%').describe(
    'what stays free on its disk, the smaller of a size and a share: below it uploads are refused, and talks, questions and leads go on; off for none',
  ),
  databaseUrl: maybe('DATABASE_URL', address('postgres:', 'postgresql:'), 'password').describe(
    'postgres://... keeps everything in PostgreSQL, for many processes',
  ),
  blobs: maybe('ROSTRUM_BLOBS', value.bucket).describe(
    'a bucket for pictures, films and uploads, as s3:https://<server>/<bucket>; without it they are files, or rows of PostgreSQL',
  ),
  bucketKeyId: maybe('AWS_ACCESS_KEY_ID', text).describe('whose bucket it is'),
  bucketSecret: maybe('AWS_SECRET_ACCESS_KEY', text, 'all').describe('the secret of that key'),
  bucketRegion: env('AWS_REGION', text, 'auto').describe('where the bucket is; auto for servers without regions'),
  role: env('ROSTRUM_ROLE', oneOf('all', 'web', 'worker'), 'all').describe(
    'web answers requests, worker presents and delivers, all does both',
  ),
  /** First signs, all verify; empty: generated into the data directory. */
  secrets: env('ROSTRUM_SECRET', listOf(value.signingSecret), '', 'all').describe(
    'signs cookies, keys and secrets; the first signs, all verify; generated into the data directory without PostgreSQL',
  ),
  ownerEmail: maybe('ROSTRUM_OWNER_EMAIL', text).describe('makes the owner at the first start, without the one-time link'),
  ownerPassword: maybe('ROSTRUM_OWNER_PASSWORD', text, 'all').describe('the same'),
  signup: env('ROSTRUM_SIGNUP', oneOf('invite', 'closed'), 'invite').describe('closed takes no new people; invite lets admins invite them'),
  llm: env('ROSTRUM_LLM', listOf(model('openai', 'anthropic', 'google', 'compatible', 'llama')), '').describe(
    'models that answer, as provider:model or llama:file, in the order of the fallback',
  ),
  llama: maybe('ROSTRUM_LLAMA', path).describe(
    'the folder in whose node_modules node-llama-cpp lies; engines/llama of the data directory where absent',
  ),
  /** One each in the order of the chain, or one for all where that is clear; the same holds for the keys (servers.ts). */
  llmBaseUrls: env('ROSTRUM_LLM_BASE_URL', listOf(orNone(serverAddress)), '').describe(
    'where the models are, in the same order; - for the provider itself',
  ),
  llmApiKeys: env('ROSTRUM_LLM_API_KEY', listOf(orNone(text)), '', 'all').describe('their keys, in the same order; - for none'),
  llmPrices: env('ROSTRUM_LLM_PRICES', listOf(orNone(value.price)), '').describe(
    'what they cost for a million tokens in and out, in the same order',
  ),
  openaiApiKey: maybe('OPENAI_API_KEY', text, 'all').describe('the key of openai models where ROSTRUM_LLM_API_KEY names none'),
  anthropicApiKey: maybe('ANTHROPIC_API_KEY', text, 'all').describe('the key of anthropic models where ROSTRUM_LLM_API_KEY names none'),
  googleApiKey: maybe('GOOGLE_GENERATIVE_AI_API_KEY', text, 'all').describe(
    'the key of google models where ROSTRUM_LLM_API_KEY names none',
  ),
  embed: maybe('ROSTRUM_EMBED', model('openai', 'compatible', 'llama')).describe(
    'measures what a question means where its words find nothing: provider:model@address of a server with OpenAI embeddings, or llama:file',
  ),
  embedApiKey: maybe('ROSTRUM_EMBED_API_KEY', text, 'all').describe('its key; OPENAI_API_KEY for openai'),
  llmConcurrency: env('ROSTRUM_LLM_CONCURRENCY', integer(1, 1_000), '8').describe('answers that models make at once'),
  llmBudget: env('ROSTRUM_LLM_BUDGET', budget, '2000').describe(
    'model calls of an account in a day (UTC), then answers quote; off for no limit',
  ),
  tts: maybe('ROSTRUM_TTS', model('openai', 'compatible', 'espeak', 'sherpa')).describe(
    'a voice of the server: provider:model, sherpa:folder or espeak:voice; without it the browser speaks',
  ),
  ttsBaseUrl: maybe('ROSTRUM_TTS_BASE_URL', serverAddress).describe('where the voice is, up to the version: http://127.0.0.1:8880/v1'),
  ttsApiKey: maybe('ROSTRUM_TTS_API_KEY', text, 'all').describe('its key; OPENAI_API_KEY for openai'),
  ttsVoice: env('ROSTRUM_TTS_VOICE', text, 'alloy').describe('the voice of sessions that name none'),
  ttsBudget: env('ROSTRUM_TTS_BUDGET', budget, '500000').describe(
    'characters that the voice says for an account in a day, then the browser speaks; off for no limit',
  ),
  stt: maybe('ROSTRUM_STT', model('openai', 'compatible', 'sherpa')).describe(
    'speech recognition of the server: provider:model or sherpa:folder; without it the browser may do it',
  ),
  sttBaseUrl: maybe('ROSTRUM_STT_BASE_URL', serverAddress).describe('where it is'),
  sttApiKey: maybe('ROSTRUM_STT_API_KEY', text, 'all').describe('its key; OPENAI_API_KEY for openai'),
  sttBudget: env('ROSTRUM_STT_BUDGET', budget, '7200').describe(
    'seconds recognised for an account in a day, then the browser listens; off for no limit',
  ),
  speechWpm: env('ROSTRUM_SPEECH_WPM', integer(60, 60_000), '150').describe('words a minute of the presenter'),
  qaWindowMs: env('ROSTRUM_QA_WINDOW_MS', integer(0, 3_600_000), '15000').describe('how long the closing waits for another question'),
  leaseMs: env('ROSTRUM_LEASE_MS', integer(100, 60_000), '1500').describe(
    'how long a talk waits for its presenter before another process takes it over',
  ),
  sofficePath: maybe('ROSTRUM_SOFFICE', text).describe(
    'LibreOffice, to draw presentations instead of the one that comes along; off: none draws them',
  ),
  ffmpeg: maybe('ROSTRUM_FFMPEG', text).describe(
    'the program that makes film and sound of talks, if it is not ffmpeg in the usual directories; off: none',
  ),
  webhookRetryMs: env('ROSTRUM_WEBHOOK_RETRY_MS', listOf(integer(0, 30 * day)), '120000,1800000').describe(
    'delays after the first and the second failed attempt',
  ),
  webhookTimeoutMs: env('ROSTRUM_WEBHOOK_TIMEOUT_MS', integer(100, 120_000), '20000').describe('how long an attempt may take'),
  webhookConcurrency: env('ROSTRUM_WEBHOOK_CONCURRENCY', integer(1, 10_000), '64').describe('attempts at once'),
  webhookEndpointConcurrency: env('ROSTRUM_WEBHOOK_ENDPOINT_CONCURRENCY', integer(1, 1_000), '4').describe(
    'attempts at once to one endpoint',
  ),
  webhookDisableAfterMs: env('ROSTRUM_WEBHOOK_DISABLE_AFTER_MS', integer(0, 365 * day), '259200000').describe(
    'an endpoint that fails for so long is disabled',
  ),
  webhookRetentionDays: env('ROSTRUM_WEBHOOK_RETENTION_DAYS', integer(1, 3_650), '30').describe(
    'how long deliveries and their payloads are kept',
  ),
  egressAllow: env('ROSTRUM_EGRESS_ALLOW', listOf(value.egressRange), '').describe(
    'private networks that outbound requests may reach, as CIDRs',
  ),
  egressPorts: env('ROSTRUM_EGRESS_PORTS', listOf(integer(1, 65_535)), '443,8443').describe('ports that outbound requests may reach'),
  insecureHttp: env('ROSTRUM_INSECURE_HTTP', flag, '0').describe('1 allows http:// destinations, for development'),
  dnsServers: env('ROSTRUM_DNS_SERVERS', listOf(nameServer), '').describe('resolvers for outbound destinations'),
  dnsblZones: env('ROSTRUM_DNSBL_ZONES', listOf(value.blocklistZone, /\s+/), '').describe('DNS blocklists, with the codes that count'),
  dnsblResolvers: env('ROSTRUM_DNSBL_RESOLVER', listOf(nameServer), '').describe('the resolvers that are asked about them'),
  dnsblFail: env('ROSTRUM_DNSBL_FAIL', oneOf('open', 'closed'), 'open').describe(
    'open lets a request through while a blocklist is down, closed does not',
  ),
  dnsblList: maybe('ROSTRUM_DNSBL_LIST', path).describe('a file of destinations that are refused'),
  planSessions: env('ROSTRUM_PLAN_SESSIONS', integer(0, million), '1000').describe('sessions an account may create in a month'),
  /** null: unlimited. */
  planMinutes: maybe('ROSTRUM_PLAN_MINUTES', integer(0, 1_000 * million)).describe(
    'minutes of it that may be heard in a month, counted by the second; one talk takes half of them unless its host names more; unlimited where absent',
  ),
  planStorageBytes: env('ROSTRUM_PLAN_STORAGE', value.sizeBytes, '5GiB').describe(
    'what the decks of an account may store: uploads, pictures and sound, each counted once; off for no limit',
  ),
  unclaimedStorageBytes: env('ROSTRUM_UNCLAIMED_STORAGE', value.sizeBytes, '50MiB').describe(
    'the same for an agent that nobody has claimed',
  ),
  unclaimedKnowledgeBytes: env('ROSTRUM_UNCLAIMED_KNOWLEDGE', value.sizeBytes, '5MiB').describe(
    'what the knowledge files of one call may hold for an agent that nobody has claimed; off for what all may',
  ),
  unclaimedFilms: env('ROSTRUM_UNCLAIMED_FILMS', flag, '0').describe('1 makes films for agents that nobody has claimed'),
  planReadingSeconds: env('ROSTRUM_PLAN_READING', budget, '1800').describe(
    'seconds that files of an account are read, and as many that they are drawn, within an hour; then they wait for the next; a tenth for agents that nobody has claimed; off for no limit',
  ),
  openRunsSession: env('ROSTRUM_OPEN_RUNS_SESSION', budget, '2000').describe(
    'talks of one attendee each that may be open at once in a session; off for no limit',
  ),
  openRunsAccount: env('ROSTRUM_OPEN_RUNS_ACCOUNT', budget, '5000').describe('the same in all sessions of an account'),
  openRunsAddress: env('ROSTRUM_OPEN_RUNS_ADDRESS', budget, '200').describe(
    'the same from one network address; twice as many from its /56, four times from its /48 or /24',
  ),
  trustedIssuers: maybe('ROSTRUM_TRUSTED_ISSUERS', value.trustedIssuers).describe(
    'identity providers whose assertions are believed, as JSON or @file',
  ),
  anonymous: env('ROSTRUM_ANONYMOUS', flag, '1').describe('0 refuses agents that register without an identity'),
  agentTtlMs: env('ROSTRUM_AGENT_TTL', value.durationMs, '24h').describe('life of an agent that nobody has claimed'),
  agentClaimedTtlMs: env('ROSTRUM_AGENT_CLAIMED_TTL', value.durationMs, '90d').describe('life of a claimed one'),
  assetOrigin: maybe('ROSTRUM_ASSET_ORIGIN', value.origin).describe('a CDN in front of /media and /assets'),
  mcpRequireAuth: env('ROSTRUM_MCP_REQUIRE_AUTH', flag, '0').describe('1 asks every MCP request for a credential'),
  mcpAppDomain: maybe('ROSTRUM_MCP_APP_DOMAIN', value.host).describe('the domain that MCP views name to their host'),
  allowedHosts: env('ROSTRUM_ALLOWED_HOSTS', listOf(value.host), '').describe('further Host names that are answered at /mcp'),
  corsOrigins: env('ROSTRUM_CORS_ORIGINS', listOf(value.originOrAny), '').describe('sites whose scripts may call the API; * for all'),
  title: env('ROSTRUM_TITLE', text, 'Rostrum').describe('the name of the service on its pages'),
  natsUrl: maybe('NATS_URL', address('nats:', 'tls:', 'ws:', 'wss:'), 'password').describe(
    'processes tell each other what changed through NATS',
  ),
  otlpEndpoint: maybe('OTEL_EXPORTER_OTLP_ENDPOINT', address('http:', 'https:')).describe('where spans are exported by OTLP/HTTP'),
  metricsToken: maybe('ROSTRUM_METRICS_TOKEN', text, 'all').describe(
    'what /metrics asks for; without one it answers on this machine alone, by a loopback name and without a proxy',
  ),
  apiKey: maybe('ROSTRUM_API_KEY', text, 'all').describe('the credential of `rostrum mcp`'),
  url: maybe('ROSTRUM_URL', value.baseUrl).describe('the service that `rostrum mcp` forwards to'),
  smtpUrl: maybe('ROSTRUM_SMTP_URL', address('smtp:', 'smtps:'), 'password').describe('a mail server for recovery links and invitations'),
  smtpFrom: maybe('ROSTRUM_SMTP_FROM', value.mailbox).describe('their sender'),
  talkMails: env('ROSTRUM_TALK_MAILS', budget, '500').describe(
    'people who registered for a talk that it writes to in an hour, a fifth of it from one network; later ones wait, and the host is told; off for no limit',
  ),
  talkLeads: env('ROSTRUM_TALK_LEADS', budget, '200').describe(
    'leads of a talk in an hour, beyond which they are kept and marked as unproven; off for no limit',
  ),
  operatorEmail: maybe('ROSTRUM_OPERATOR_EMAIL', value.mailbox).describe(
    'where reports of talks are mailed; the address of the owner where absent',
  ),
  securityContact: env('ROSTRUM_SECURITY_CONTACT', listOf(value.securityContact), '').describe(
    'where weaknesses of this service are reported, for /.well-known/security.txt: addresses, the first preferred',
  ),
  securityExpires: maybe('ROSTRUM_SECURITY_EXPIRES', value.date).describe(
    'until when that holds, such as 2027-06-30; a year ahead at most is advised',
  ),
  trustProxy: env('ROSTRUM_TRUST_PROXY', listOf(value.cidr), '').describe('proxies whose X-Forwarded-For counts, as CIDRs'),
  log: env('ROSTRUM_LOG', oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info').describe(
    'the least that is logged: trace, debug, info, warn, error, fatal or silent',
  ),
} as const

const limit = (bucket: string, usual: string, meaning: string) =>
  env(`ROSTRUM_RATE_${bucket.toUpperCase()}`, value.rate(usual), usual).describe(`${meaning}; off for no limit`)
/** How many calls in how long. */
const limits = {
  api: limit('api', '120/1m', 'calls of a credential'),
  register: limit('register', '10/1h', 'agents that register, for an address'),
  signin: limit(
    'signin',
    '10/15m',
    'failed sign-ins of a person from one network or known browser; 5 times as many for a network, 10 times for a person',
  ),
  claim: limit('claim', '30/10m', 'codes tried'),
  clients: limit('clients', '20/1h', 'OAuth clients registered, for an address'),
  pages: limit('pages', '60/1h', 'sensitive pages opened, for an address'),
  join: limit('join', '600/1m', 'people who join a room, for an address'),
  room: limit('room', '600/1m', 'acts of an attendee'),
  questions: limit('questions', '20/1m', 'questions of an attendee; 20 times as many for an address'),
  pap: limit('pap', '20/1m', 'questions of a personal agent; 20 times as many for an address'),
  lead: limit('lead', '20/1m', 'contact details sent'),
  discovery: limit('discovery', '600/1m', 'calls without a credential, for an address'),
  upload: limit('upload', '60/1h', 'decks uploaded'),
  unclaimedUpload: limit('unclaimed_upload', '5/1h', 'files that an agent sends which nobody has claimed'),
  tests: limit('tests', '10/1m', 'test events of webhooks that an account sends'),
  report: limit('report', '5/1h', 'talks reported, for an address; 40 times as many for all'),
}

export type RateBucket = keyof typeof limits
export type Rates = Readonly<Record<RateBucket, value.Rate | 'off'>>
type Settings = typeof settings
type Values = { readonly [K in keyof Settings]: z.output<Settings[K]> }
/** Read into `models`, `embedder`, `voice`, `ears` and `bucket`. */
type Joined =
  | `${'openai' | 'anthropic' | 'google'}ApiKey`
  | `llm${'' | 'BaseUrls' | 'ApiKeys' | 'Prices'}`
  | `embed${'' | 'ApiKey'}`
  | `${'tts' | 'stt'}${'' | 'BaseUrl' | 'ApiKey'}`
  | 'blobs'
  | `bucket${'KeyId' | 'Secret' | 'Region'}`

export interface Config extends Omit<Values, 'baseUrl' | 'smtpFrom' | Joined> {
  /** The models of `ROSTRUM_LLM`, in order; empty: answers quote. */
  readonly models: readonly ModelSettings[]
  /** The server or the file of `ROSTRUM_EMBED`; null: words alone. */
  readonly embedder: EmbedSettings | null
  /** `ROSTRUM_TTS` and `ROSTRUM_STT`; null: the browser's own. */
  readonly voice: SpeechSettings | null
  readonly ears: SpeechSettings | null
  /** Null: blobs are files, or rows of PostgreSQL. */
  readonly bucket: BucketSettings | null
  /** The origin that every link, issuer and challenge is built from; never the `Host` of a request. */
  readonly baseUrl: string
  /** The sender of mails, as a header says it. */
  readonly smtpFrom: string
  readonly rates: Rates
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
const alsoKnown = ['ROSTRUM_QA_PROSE']

const aboutOf = (schema: z.ZodType) => ({ env: '', ...about.get(schema), meaning: schema.description ?? '' })
const all = (): readonly z.ZodType[] => [...Object.values(settings), ...Object.values(limits)]
/** An empty variable counts as absent. */
const writtenIn = (given: Env, name: string) => given[name]?.trim() || undefined

/** Reads `given`; never throws. */
export function readConfig(given: Env): ReadConfig {
  const problems: string[] = []
  const read = (table: Readonly<Record<string, z.ZodType>>) => {
    const entries = Object.entries(table).map(([key, schema]) => {
      const name = aboutOf(schema).env
      const { data, error } = schema.safeParse(writtenIn(given, name))
      if (error !== undefined) problems.push(`${name}: ${error.issues[0]?.message}.`)
      return [key, data]
    })
    return Object.fromEntries(entries) as Record<string, unknown>
  }
  // Each member was read by its own schema; a failed one leaves a problem, and then no Config is handed out.
  const values = read(settings) as Values
  const rates = Object.freeze(read(limits)) as Config['rates']
  const { openaiApiKey: ofOpenai, dataDir, llama } = values
  if (values.port === 0 && values.baseUrl === null)
    problems.push('ROSTRUM_BASE_URL: is needed with ROSTRUM_PORT=0, because the port is not known before.')
  if (values.databaseUrl && values.secrets?.length === 0)
    problems.push('ROSTRUM_SECRET: is needed with DATABASE_URL, because every process must sign with the same one.')
  if ((values.ownerEmail === null) !== (values.ownerPassword === null))
    problems.push('ROSTRUM_OWNER_EMAIL: set it together with ROSTRUM_OWNER_PASSWORD, or neither.')
  if (values.webhookRetryMs && values.webhookRetryMs.length !== 2)
    problems.push('ROSTRUM_WEBHOOK_RETRY_MS: write two delays, after the first and the second attempt, such as 120000,1800000.')
  const isChain = values.llm && values.llmBaseUrls && values.llmApiKeys && values.llmPrices
  const chain = isChain ? modelChain({ ...values, dataDir }) : { settings: [], problems: [] }
  const embedder = embedSettings(values.embed, { own: values.embedApiKey, ofOpenai, dataDir, llama })
  const voice = speechSettings('ROSTRUM_TTS', values.tts, { baseUrl: values.ttsBaseUrl, own: values.ttsApiKey, ofOpenai, dataDir })
  const ears = speechSettings('ROSTRUM_STT', values.stt, { baseUrl: values.sttBaseUrl, own: values.sttApiKey, ofOpenai, dataDir })
  const bucket = bucketSettings(values)
  problems.push(...chain.problems, ...[embedder, voice, ears, bucket].flatMap(({ problem }) => problem ?? []))
  const baseUrl = values.baseUrl ?? `http://localhost:${values.port}`
  const config = Object.freeze({
    ...values,
    baseUrl,
    smtpFrom: values.smtpFrom ?? `rostrum@${URL.parse(baseUrl)?.hostname ?? 'localhost'}`,
    models: chain.settings,
    embedder: embedder.settings,
    voice: voice.settings,
    ears: ears.settings,
    bucket: bucket.settings,
    rates,
  })
  return { config: problems.length === 0 ? config : undefined, problems, warnings: [...unknownNames(given), ...withoutEffect(given)] }
}

function withoutEffect(given: Env): string[] {
  const needs = [
    ...['BASE_URL', 'API_KEY', 'VOICE'].map((rest) => [`ROSTRUM_TTS_${rest}`, 'ROSTRUM_TTS']),
    ...['BASE_URL', 'API_KEY'].map((rest) => [`ROSTRUM_STT_${rest}`, 'ROSTRUM_STT']),
    ['ROSTRUM_EMBED_API_KEY', 'ROSTRUM_EMBED'],
    ['NATS_URL', 'DATABASE_URL'],
  ]
  const isSet = (name = '') => writtenIn(given, name) !== undefined
  return needs.filter(([name, other]) => isSet(name) && !isSet(other)).map(([name, other]) => `${name}: has no effect without ${other}.`)
}

function unknownNames(given: Env): string[] {
  const known = new Set([...all().map((schema) => aboutOf(schema).env), ...alsoKnown])
  const unknown = Object.keys(given).filter((name) => name.startsWith('ROSTRUM_') && !known.has(name))
  return unknown.map((name) => `${name}: no such variable; \`rostrum config\` lists them.`)
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
export function showConfig(given: Env): ShownVariable[] {
  return all().map((schema) => {
    const { env: name, byDefault = '', hide, meaning } = aboutOf(schema)
    const written = writtenIn(given, name)
    return { name, value: masked(written ?? byDefault, hide), isSet: written !== undefined, meaning }
  })
}

function masked(written: string, hide: Hide | undefined): string {
  if (written === '' || hide === undefined) return written
  return hide === 'all'
    ? '********'
    : written.replace(/\/\/[^@/]*@/, '//********@').replace(/([?&](?:password|token)=)[^&]*/gi, '$1********')
}
