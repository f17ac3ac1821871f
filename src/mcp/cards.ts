// The discovery documents of the tool-protocol server (spec 4.3), all from the catalogue's constants.
import { type DocumentRoute, documentRoute } from '../platform/http/files.ts'
import { type Catalogue, protocolVersions } from './catalogue.ts'

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
