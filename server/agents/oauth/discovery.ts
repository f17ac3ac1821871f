// The discovery documents as routes: public, the same for everybody, revalidated by `ETag`, readable from every origin.
import { readFileSync } from 'node:fs'
import { resourcesOf } from '../../accounts/authenticate.ts'
import type { PageRoute } from '../../accounts/visit.ts'
import { documentRoute } from '../../platform/http/files.ts'
import { scopes, scopeWords } from '../../platform/principal.ts'
import { identityRevoked } from '../assertion.ts'
import { agentGrants, claimGrant, identityTypes, jwtBearer } from '../identity/identity.ts'
import { codeLifeMs, pollSeconds, triesMax, undoMs } from '../registration.ts'

// Discovery metadata (spec 4.3): the protected resource (RFC 9728) and the authorization server (RFC 8414) with its
// `agent_auth` block. Built from configuration alone; what does not answer is not named.

interface DiscoveryOptions {
  /** The issuer, byte for byte. */
  baseUrl: string
  title: string
}

/** `resource` is byte for byte what the client knows us by: a strict one refuses a document that names another (RFC 9728 section 3.3). */
function protectedResource({ baseUrl, title }: DiscoveryOptions, resource: string) {
  return {
    resource,
    resource_name: title,
    authorization_servers: [baseUrl],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/docs/mcp`,
  }
}

function authorizationServer({ baseUrl }: DiscoveryOptions) {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth2/authorize`,
    token_endpoint: `${baseUrl}/oauth2/token`,
    revocation_endpoint: `${baseUrl}/oauth2/revoke`,
    registration_endpoint: `${baseUrl}/oauth2/register`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', ...agentGrants],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    scopes_supported: [...scopes, 'offline_access'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    resource_indicators_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    service_documentation: `${baseUrl}/docs`,
    protected_resources: resourcesOf(baseUrl),
    agent_auth: {
      skill: `${baseUrl}/auth.md`,
      register_uri: `${baseUrl}/api/v1/auth/register`,
      claim_uri: `${baseUrl}/api/v1/auth/claim`,
      revocation_uri: `${baseUrl}/api/v1/auth/revoke`,
      // The current generation, whose identities are exchanged at the OAuth server's token endpoint.
      identity_endpoint: `${baseUrl}/agent/identity`,
      claim_endpoint: `${baseUrl}/agent/identity/claim`,
      events_endpoint: `${baseUrl}/agent/event/notify`,
      events_supported: [identityRevoked],
      identity_types_supported: identityTypes,
      anonymous: { credential_types_supported: ['access_token'] },
      identity_assertion: {
        assertion_types_supported: ['urn:ietf:params:oauth:token-type:id-jag', 'verified_email'],
        credential_types_supported: ['access_token'],
      },
    },
  }
}

/** Clients are public and prove themselves with PKCE: a secret that many installations share is none. */
const clientAuthentication = ['none']

export function discoveryRoutes(options: DiscoveryOptions & AuthMarkdownOptions): PageRoute[] {
  const server = () => JSON.stringify(authorizationServer(options))
  return [
    ...resourcesOf(options.baseUrl).map((resource) => {
      const path = `/.well-known/oauth-protected-resource${resource.slice(options.baseUrl.length)}`
      return documentRoute(path, json, () => JSON.stringify(protectedResource(options, resource)))
    }),
    documentRoute('/.well-known/oauth-authorization-server', json, server),
    documentRoute('/.well-known/openid-configuration', json, server),
    documentRoute('/auth.md', 'text/markdown; charset=utf-8', () => authMarkdown(options)),
  ]
}

const json = 'application/json'

// `/auth.md`: everything an agent needs that has nothing but the base address, as text with literal examples (spec 5). The
// contract tests send the examples as they stand here.

interface AuthMarkdownOptions {
  baseUrl: string
  title: string
  agentTtlMs: number
  agentClaimedTtlMs: number
  anonymous: boolean
}

function authMarkdown({ baseUrl, title, agentTtlMs, agentClaimedTtlMs, anonymous }: AuthMarkdownOptions): string {
  const values: Readonly<Record<string, string | number>> = {
    baseUrl,
    title,
    anonymousOff: anonymous ? '' : 'Anonymous registrations are switched off here; use `identity_type` `identity_assertion`.\n\n',
    ttlSeconds: Math.floor(agentTtlMs / 1_000),
    claimedDays: Math.floor(agentClaimedTtlMs / 86_400_000),
    undoHours: undoMs / 3_600_000,
    codeMinutes: codeLifeMs / 60_000,
    pollSeconds,
    triesMax,
    jwtBearer,
    claimGrant,
    rights: scopes.map((scope) => `- \`${scope}\`: ${scopeWords[scope]}`).join('\n'),
  }
  const text = readFileSync(new URL('auth.md', import.meta.url), 'utf8')
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
