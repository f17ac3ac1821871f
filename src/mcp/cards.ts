// The discovery documents of the tool-protocol server (spec 4.3), all from the catalogue's constants.
import type { Catalogue } from './catalogue.ts'
import { protocolVersions } from './catalogue.ts'

export interface Card {
  path: string
  type: string
  body: string
}

const cardSchema = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'

/** `example.com` reversed, as card names are written: `com.example/rostrum`. */
function cardName(baseUrl: string): string {
  return `${new URL(baseUrl).hostname
    .split('.')
    .toReversed()
    .join('.')
    .replace(/[^a-zA-Z0-9.-]/g, '-')}/rostrum`
}

export function discoveryCards(catalogue: Catalogue, baseUrl: string): Card[] {
  const { info, discovery, tools, prompts, capabilities } = catalogue
  const endpoint = `${baseUrl}/mcp`
  const card = {
    $schema: cardSchema,
    name: cardName(baseUrl),
    version: info.version,
    title: info.title,
    description: 'Presentations given by an automated presenter: create, rehearse, publish, ask, measure.',
    websiteUrl: baseUrl,
    remotes: [{ type: 'streamable-http', url: endpoint, supportedProtocolVersions: protocolVersions }],
  }
  const manifest = {
    ...card,
    protocolVersions,
    capabilities,
    serverInfo: info,
    endpoint,
    transports: ['streamable-http', 'stdio'],
    authentication: {
      resourceMetadata: `${baseUrl}/.well-known/oauth-protected-resource`,
      authorizationServer: `${baseUrl}/.well-known/oauth-authorization-server`,
      documentation: `${baseUrl}/auth.md`,
    },
    instructions: catalogue.instructions,
    tools,
    resources: discovery['resources'],
    prompts,
    metadata: discovery['metadata'],
  }
  const cardType = 'application/mcp-server-card+json'
  const aiCatalog = {
    specVersion: '1.0',
    entries: [{ identifier: `urn:air:${new URL(baseUrl).hostname}:mcp:rostrum`, type: cardType, url: `${baseUrl}/mcp/server-card` }],
  }
  return [
    { path: '/.well-known/mcp.json', type: 'application/json', body: JSON.stringify(manifest) },
    { path: '/mcp/server-card', type: cardType, body: JSON.stringify(card) },
    { path: '/.well-known/ai-catalog.json', type: 'application/ai-catalog+json', body: JSON.stringify(aiCatalog) },
  ]
}
