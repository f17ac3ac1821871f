// The discovery documents of the tool-protocol server (spec 4.3), all from the catalogue's constants.
import { createHash } from 'node:crypto'
import type { Catalogue } from './catalogue.ts'
import { protocolVersions } from './catalogue.ts'

export interface Card {
  path: string
  handle(request: Request): Response
}

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

/** The manifest, the strict server card and the catalogue of cards. */
export function discoveryCards(catalogue: () => Catalogue, baseUrl: string): Card[] {
  return [
    document('/.well-known/mcp.json', 'application/json', () => manifest(catalogue(), baseUrl)),
    document('/mcp/server-card', cardType, () => strictCard(catalogue(), baseUrl)),
    document('/.well-known/ai-catalog.json', 'application/ai-catalog+json', () => aiCatalog(baseUrl)),
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

/** A constant once made, so its validator is too; readable from any page, because it is the same for everybody. */
function document(path: string, type: string, value: () => unknown): Card {
  let made: { body: string; headers: Record<string, string> } | undefined
  const make = () => {
    const body = JSON.stringify(value())
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    return {
      body,
      headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600', 'Access-Control-Allow-Origin': '*', ETag: etag },
    }
  }
  return {
    path,
    handle(request) {
      const { body, headers } = (made ??= make())
      const known = (request.headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
      const isKnown = known.includes(headers['ETag'] ?? '') || known.includes('*')
      return isKnown ? new Response(null, { status: 304, headers }) : new Response(body, { headers })
    },
  }
}
