// Everything the tool-protocol server says of itself (spec 4.5, 9), computed once at start from the operation list. Lists and
// discovery documents are these constants, so they cannot differ from each other.
import { z } from 'zod'
import type { Operation } from '../platform/operation.ts'
import { type PromptDeclaration, type ResourceDeclaration, type TemplateDeclaration, viewMime, viewUri } from './resources.ts'
import { type DocumentRoute, documentRoute } from '../platform/http/files.ts'

// JSON Schemas of tools, made once at start from the operations' own schemas (draft 2020-12, as hosts expect it).

type JsonSchema = Record<string, unknown>

/**
 * What says nothing goes, because a model pays for every list of tools: whether there may be other members (there may: a later version
 * sends more, and what is sent unasked is passed over), the pattern that spells a format out, an empty default, that
 * names are strings, and of a result its bounds and which members below its root are always there.
 */
const plain = ({ jsonSchema, path }: { jsonSchema: JsonSchema; path: readonly unknown[] }, io: 'input' | 'output') => {
  // What a member of a result means stands in the documents; its name says enough to who reads the result.
  if (io === 'output') for (const name of ['description', 'minimum', 'maximum', 'readOnly']) delete jsonSchema[name]
  if (io === 'output' && path.length > 0) delete jsonSchema['required']
  const more = jsonSchema['additionalProperties']
  if (more === false || (typeof more === 'object' && more !== null && Object.keys(more).length === 0))
    delete jsonSchema['additionalProperties']
  delete jsonSchema['propertyNames']
  if ('format' in jsonSchema) delete jsonSchema['pattern']
  if (Array.isArray(jsonSchema['default']) && jsonSchema['default'].length === 0) delete jsonSchema['default']
}

function objectSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const json: JsonSchema = { ...z.toJSONSchema(schema, { io, target: 'draft-2020-12', override: (context) => plain(context, io) }) }
  if (json['type'] !== 'object') throw new Error('The schema of a tool must be an object.')
  delete json['$schema']
  return json
}

export const protocolVersions = ['2026-07-28', '2025-11-25', '2024-11-05'] as const
export const serverVersion = '2.1.0'
/** Stated beside the server's own version by the discovery result (spec 9). */
const metadataVersion = '2.0.0'
export const papVersion = '0.1-draft'
/** The spec's literal; hosts compare with the unquoted form, which everything but the discovery documents uses. */
const quotedViewMime = 'text/html;profile="mcp-app"'
export const a2uiCatalog = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'
const cacheTtlMs = 3_600_000
const cacheable = ['server/discover', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read']

export type Catalogue = ReturnType<typeof createCatalogue>

interface CatalogueParts {
  operations: readonly Operation[]
  prompts: readonly PromptDeclaration[]
  resources: readonly ResourceDeclaration[]
  templates?: readonly TemplateDeclaration[]
  title: string
  /** Without a trailing slash. */
  baseUrl: string
}

const instructionsAt = (baseUrl: string) =>
  'Rostrum holds presentations that an automated presenter gives in a web room. create_session makes one from slides, text or a PDF; ' +
  'write narration for each slide yourself. get_session shows when its deck is ready; open rehearsalUrl to try it at no cost; share roomUrl. After a talk: ' +
  'get_session_analytics, export_leads. Without a key you may call discover_sessions and read the documents; to get one, read ' +
  `${baseUrl}/auth.md. ` +
  'With any credential: pap_query_presenter asks a presenter, submit_attendee_lead sends details with consent. agentNotes stay private.'

export function createCatalogue({ operations, prompts, resources, templates = [], title, baseUrl }: CatalogueParts) {
  const instructions = instructionsAt(baseUrl)
  const withTools = operations.filter((operation) => operation.tool !== undefined)
  const views = new Set(resources.map((resource) => resource.uri))
  const tools = operations.flatMap((operation) => toolCard(operation, baseUrl, views) ?? [])
  const resourceCards = resources.map(resourceCard)
  const promptCards = prompts.map(({ render: _, ...card }) => card)
  const info = { name: 'service-mcp-server', version: serverVersion, title }
  const capabilities = capabilitiesOf(resources)
  return {
    info,
    instructions,
    capabilities,
    tools,
    resources: resourceCards,
    templates: templates.map(({ parts: _, ...card }) => card),
    prompts: promptCards,
    discovery: {
      resultType: 'complete',
      supportedVersions: protocolVersions,
      protocolVersions,
      capabilities,
      serverInfo: info,
      instructions,
      tools,
      resources: resourceCards.map((card) => ({ ...card, mimeType: card.mimeType === viewMime ? quotedViewMime : card.mimeType })),
      prompts: promptCards,
      metadata: { version: metadataVersion },
      ttlMs: cacheTtlMs,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': info },
    },
    cacheHints: Object.fromEntries(cacheable.map((method) => [method, { ttlMs: cacheTtlMs, cacheScope: 'public' }])),
    operations: new Map(withTools.map((operation) => [operation.name, operation])),
    every: new Map(operations.map((operation) => [operation.name, operation])),
    promptOf: new Map(prompts.map((prompt) => [prompt.name, prompt])),
    partsOf: new Map(templates.map(({ uriTemplate, parts }) => [uriTemplate, parts])),
    /** What is read at an address: of the list, or a part of a template. */
    read(uri: string): Pick<ResourceDeclaration, 'uri' | 'mimeType' | 'text' | 'meta'> | undefined {
      const listed = resources.find((resource) => resource.uri === uri)
      if (listed !== undefined) return listed
      const [base, name] = [uri.slice(0, uri.lastIndexOf('/') + 1), uri.slice(uri.lastIndexOf('/') + 1)]
      const template = templates.find(({ uriTemplate }) => uriTemplate.startsWith(base) && uriTemplate.indexOf('{') === base.length)
      const text = template?.parts().get(name)
      return template === undefined || text === undefined ? undefined : { uri, mimeType: template.mimeType, text: () => text }
    },
  }
}

function resourceCard({ text, meta: _, isMadeOnReading, ...card }: ResourceDeclaration) {
  return isMadeOnReading === true ? card : { ...card, size: Buffer.byteLength(text()) }
}

/** A view is named only where it can be read. */
function toolCard(operation: Operation, baseUrl: string, views: ReadonlySet<string>) {
  const { name, tool, input, effects } = operation
  if (tool === undefined) return undefined
  const uri = tool.ui === undefined ? undefined : viewUri(baseUrl, tool.ui)
  return {
    name,
    title: tool.title,
    description: tool.description,
    inputSchema: objectSchema(tool.input ?? input, 'input'),
    outputSchema: objectSchema(tool.output, 'output'),
    annotations: {
      title: tool.title,
      readOnlyHint: effects.readOnly,
      destructiveHint: effects.destructive,
      idempotentHint: effects.idempotent,
      openWorldHint: effects.openWorld,
    },
    ...(uri === undefined || !views.has(uri)
      ? {}
      : { _meta: { ui: { resourceUri: uri }, 'ui/resourceUri': uri, 'openai/outputTemplate': uri } }),
  }
}

function capabilitiesOf(resources: readonly ResourceDeclaration[]): Record<string, unknown> {
  return {
    tools: { listChanged: false },
    resources: { subscribe: false, listChanged: false },
    prompts: { listChanged: false },
    completions: {},
    apps: { uiResources: resources.map((resource) => resource.uri), a2ui: true, generativeUI: true },
    personalAgentProtocol: papVersion,
    pap: true,
    extensions: {
      'io.modelcontextprotocol/ui': { mimeTypes: [viewMime] },
      'x-rostrum/pap': { version: papVersion },
      'x-rostrum/a2ui': { versions: ['v0.9'], catalogs: [a2uiCatalog] },
    },
  }
}

// The discovery documents of the tool-protocol server (spec 4.3), all from the catalogue's constants.

const cardType = 'application/mcp-server-card+json'
const cardSchema = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'

/** `example.com` reversed, as card names are written: `com.example/rostrum`. */
function cardName(baseUrl: string): string {
  return `${new URL(baseUrl).hostname
    .split('.')
    .toReversed()
    .join('.')
    .replace(/[^a-zA-Z0-9.-]/g, '-')}/rostrum`
}

const maxAgeSeconds = 3_600

/** The manifest, the strict server card and the catalogue of cards. */
export function discoveryCards(catalogue: () => Catalogue, baseUrl: string): DocumentRoute[] {
  const card = (path: string, type: string, value: () => unknown) => documentRoute(path, type, () => JSON.stringify(value()), maxAgeSeconds)
  return [
    card('/.well-known/mcp.json', 'application/json', () => manifest(catalogue(), baseUrl)),
    card('/mcp/server-card', cardType, () => strictCard(catalogue(), baseUrl)),
    card('/.well-known/ai-catalog.json', 'application/ai-catalog+json', () => aiCatalog(baseUrl)),
  ]
}

function strictCard({ info }: Catalogue, baseUrl: string) {
  return {
    $schema: cardSchema,
    name: cardName(baseUrl),
    version: info.version,
    title: info.title,
    description: 'Presentations given by an automated presenter: create, rehearse, publish, ask, measure.',
    websiteUrl: baseUrl,
    remotes: [{ type: 'streamable-http', url: `${baseUrl}/mcp`, supportedProtocolVersions: protocolVersions }],
  }
}

function manifest(catalogue: Catalogue, baseUrl: string) {
  const { info, discovery, tools, prompts, capabilities, instructions } = catalogue
  return {
    ...strictCard(catalogue, baseUrl),
    protocolVersions,
    capabilities,
    serverInfo: info,
    endpoint: `${baseUrl}/mcp`,
    transports: ['streamable-http', 'stdio'],
    authentication: {
      resourceMetadata: `${baseUrl}/.well-known/oauth-protected-resource/mcp`,
      authorizationServer: `${baseUrl}/.well-known/oauth-authorization-server`,
      documentation: `${baseUrl}/auth.md`,
    },
    instructions,
    tools,
    resources: discovery['resources'],
    prompts,
    metadata: discovery['metadata'],
  }
}

function aiCatalog(baseUrl: string) {
  return {
    specVersion: '1.0',
    entries: [
      {
        identifier: `urn:air:${new URL(baseUrl).hostname}:mcp:rostrum`,
        displayName: 'Rostrum',
        type: cardType,
        url: `${baseUrl}/mcp/server-card`,
      },
    ],
  }
}
