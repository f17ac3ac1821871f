// The discovery documents as routes: public, the same for everybody, revalidated by `ETag`, readable from every origin.
import { createHash } from 'node:crypto'
import { resourcesOf } from '../accounts/authenticate.ts'
import type { PageRoute } from '../accounts/pages/visit.ts'
import { scopes, scopeWords } from '../platform/principal.ts'
import { identityRevoked } from './assertions/security-event.ts'
import { agentGrants, claimGrant, jwtBearer } from './identity/agent-grants.ts'
import { identityTypes } from './identity/register-identity.ts'
import { codeLifeMs, pollSeconds, triesMax, undoMs } from './registration.ts'

// Discovery metadata (spec 4.3): the protected resource (RFC 9728) and the authorization server (RFC 8414) with its
// `agent_auth` block. Built from configuration alone; what does not answer is not named.

interface DiscoveryOptions {
  /** The issuer, byte for byte. */
  baseUrl: string
  title: string
  /** Whether the OAuth server answers at `/oauth2/*`. */
  hasOAuth: boolean
  /** Whether clients may be known by the address of a document of theirs. */
  fetchesClients?: boolean
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

function authorizationServer(options: DiscoveryOptions) {
  const { baseUrl, hasOAuth } = options
  return {
    issuer: baseUrl,
    ...(hasOAuth ? oauthMembers(options) : bareMembers(baseUrl)),
    service_documentation: `${baseUrl}/docs`,
    protected_resources: resourcesOf(baseUrl),
    agent_auth: {
      skill: `${baseUrl}/auth.md`,
      register_uri: `${baseUrl}/api/v1/auth/register`,
      claim_uri: `${baseUrl}/api/v1/auth/claim`,
      revocation_uri: `${baseUrl}/api/v1/auth/revoke`,
      // The current generation, whose identities are exchanged at the OAuth server's token endpoint.
      ...(hasOAuth && {
        identity_endpoint: `${baseUrl}/agent/identity`,
        claim_endpoint: `${baseUrl}/agent/identity/claim`,
        events_endpoint: `${baseUrl}/agent/event/notify`,
        events_supported: [identityRevoked],
      }),
      identity_types_supported: hasOAuth ? identityTypes : ['anonymous', 'identity_assertion'],
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

function oauthMembers({ baseUrl, fetchesClients = false }: DiscoveryOptions) {
  return {
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
    ...(fetchesClients && { client_id_metadata_document_supported: true }),
    resource_indicators_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  }
}

/** RFC 8414 asks for `response_types_supported` even where there is no authorization endpoint. */
function bareMembers(baseUrl: string) {
  return {
    revocation_endpoint: `${baseUrl}/api/v1/auth/revoke`,
    revocation_endpoint_auth_methods_supported: ['none'],
    response_types_supported: [],
    grant_types_supported: [],
    scopes_supported: scopes,
  }
}

export function discoveryRoutes(options: DiscoveryOptions & AuthMarkdownOptions): PageRoute[] {
  const server = JSON.stringify(authorizationServer(options))
  return [
    ...resourcesOf(options.baseUrl).map((resource) => {
      const path = `/.well-known/oauth-protected-resource${resource.slice(options.baseUrl.length)}`
      return document(path, json, JSON.stringify(protectedResource(options, resource)))
    }),
    document('/.well-known/oauth-authorization-server', json, server),
    document('/.well-known/openid-configuration', json, server),
    document('/auth.md', 'text/markdown; charset=utf-8', authMarkdown(options)),
  ]
}

const json = 'application/json'

function document(path: string, type: string, body: string): PageRoute {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const headers = {
    ETag: tag,
    'Cache-Control': 'public, max-age=300',
    'Access-Control-Allow-Origin': '*',
    'X-Content-Type-Options': 'nosniff',
  }
  return {
    method: 'GET',
    path,
    kind: 'document',
    handle({ request }) {
      const isKnown = request.headers
        .get('if-none-match')
        ?.split(',')
        .some((known) => known.trim().replace(/^W\//, '') === tag)
      if (isKnown === true) return new Response(null, { status: 304, headers })
      return new Response(body, { headers: { ...headers, 'Content-Type': type } })
    },
  }
}

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
  const rights = scopes.map((scope) => `- \`${scope}\`: ${scopeWords[scope]}`).join('\n')
  return `# Credentials for agents: ${title}

This service gives presentations held by an automated presenter. You, an agent, may register by yourself, work in a sandbox at
once, and ask a person to bind you to their account later. Every call carries \`Authorization: Bearer <token>\`.

If a person has given you an API key (\`rst_live_...\`), use it and skip the rest.

## 1. Register

${anonymous ? '' : 'Anonymous registrations are switched off here; use `identity_type` `identity_assertion`.\n\n'}\`\`\`http
POST ${baseUrl}/api/v1/auth/register
Content-Type: application/json

{ "client_name": "Sales Copilot", "identity_type": "anonymous" }
\`\`\`

\`\`\`json
{ "status": "registered", "token_type": "Bearer", "access_token": "rst_agt_...", "expires_in": ${Math.floor(agentTtlMs / 1_000)},
  "scope": "sessions:read sessions:write analytics:read", "claim_uri": "${baseUrl}/claim/...",
  "revocation_uri": "${baseUrl}/api/v1/auth/revoke", "registration_id": "...", "interval": ${pollSeconds} }
\`\`\`

\`expires_in\` is in seconds. Keep the token and \`claim_uri\`: neither is shown again. Until you are claimed you may create three
sessions; leads are out of reach, and everything goes when the registration expires.

If only one person may approve you, name them: \`{ "client_name": "...", "identity_type": "identity_assertion",
"assertion_type": "verified_email", "email": "person@example.com" }\`.

## 2. Work

\`\`\`http
POST ${baseUrl}/api/v1/agent/sessions
Authorization: Bearer rst_agt_...
Content-Type: application/json

{ "title": "Grid storage in 12 minutes", "isLive": true }
\`\`\`

The answer has \`shareLink\`: the room to send to people. The same works as tools at ${baseUrl}/mcp; see ${baseUrl}/docs/mcp.

## 3. Be claimed by a person

Say to the person: "Open this link, check that it names me, approve, and read me the code: <claim_uri>". Then:

\`\`\`http
POST ${baseUrl}/api/v1/auth/claim
Authorization: Bearer rst_agt_...
Content-Type: application/json

{ "claim_id": "BDFK-RTWX" }
\`\`\`

The page names every session and webhook of yours that moves, and the person may allow less than all: \`scope\` in the answer is what
you have from then on. Your sessions move to their account, and the same token gains \`leads:read\` and \`checkout:write\` and lives for
${Math.floor(agentClaimedTtlMs / 86_400_000)} days. The person may take the claim back within ${undoMs / 3_600_000} hours. Never ask for their password, and never claim
with a link that somebody sent you.

Until then nobody vouches for you: your talks are open to whoever has their link, but discovery does not list them, search
engines do not keep them, and their presenters answer no personal agent but you. Their rooms say that an unverified agent made
them, a call to action passes a page that names where it leads, and the server spends no model, voice or recognition on them.

| Answer | Do |
|---|---|
| 400 \`authorization_pending\` | nobody has approved yet; wait \`Retry-After\` seconds (${pollSeconds}) |
| 400 \`invalid_claim_id\` | ask for the code again; after ${triesMax} wrong codes the person approves once more |
| 400 \`access_denied\` | the person refused; stop |
| 410 \`claim_expired\` | codes live ${codeLifeMs / 60_000} minutes; ask the person to approve again |
| 409 \`previously_claimed\` | nothing: you are bound already |

## 4. End it

\`\`\`http
POST ${baseUrl}/api/v1/auth/revoke
Content-Type: application/json

{ "token": "rst_agt_..." }
\`\`\`

Whoever holds a live token may end it. Do so when your work is done, or when it may have been copied.

## Clients of the auth.md profile

The same registrations, in the words of the current auth.md generation. \`agent_auth\` in
${baseUrl}/.well-known/oauth-authorization-server names the addresses. Register with \`anonymous\`, or, if you know the e-mail address
of your person, with \`service_auth\` and \`login_hint\`:

\`\`\`http
POST ${baseUrl}/agent/identity
Content-Type: application/json

{ "type": "anonymous", "client_name": "Sales Copilot" }
\`\`\`

\`identity.assertion\` lives an hour; \`claim.token\` and \`identity.refresh_token.value\` are shown once. Exchange the assertion, as often
as you need, for tokens that live an hour:

\`\`\`http
POST ${baseUrl}/oauth2/token
Content-Type: application/x-www-form-urlencoded

grant_type=${jwtBearer}&assertion=<identity.assertion>
\`\`\`

To be claimed, name your person; \`service_auth\` has done that, and has \`claim.attempt\` already:

\`\`\`http
POST ${baseUrl}/agent/identity/claim
Content-Type: application/json

{ "type": "service_auth", "claim_token": "<claim.token>", "login_hint": "person@example.com" }
\`\`\`

Show them \`attempt.verification_uri\`. They sign in, approve, and read you a code:

\`\`\`http
POST ${baseUrl}/agent/identity/claim/complete
Content-Type: application/json

{ "claim_token": "<claim.token>", "user_code": "<code>" }
\`\`\`

The answer has a new \`identity\`; tokens and assertions from before the claim are dead. Without a code you may ask
${baseUrl}/oauth2/token every ${pollSeconds} seconds with \`grant_type=${claimGrant}\` and \`claim_token\`, until it stops answering
\`authorization_pending\`. Before the hour is over, send \`{ "type": "refresh", "refresh_token": "<identity.refresh_token.value>" }\` to
/agent/identity: it answers a new assertion and a new refresh token, and the old one is spent. \`invalid_grant\` anywhere: register again.

| \`error\` | Do |
|---|---|
| \`claim_not_confirmed\`, \`authorization_pending\` | your person has not approved yet |
| \`invalid_user_code\` | ask for the code again |
| \`user_code_expired\`, \`expired_token\` | start the claim again, for a new page |
| \`invalid_claim_token\`, \`claim_expired\` | register again |
| \`claimed_or_in_flight\`, \`previously_claimed\` | you are claimed, or were made for another person |
| \`slow_down\` | ask less often |

## What each scope allows

${rights}

## Errors and limits

Every error is \`application/problem+json\` with \`code\`, \`detail\` and, for OAuth clients, \`error\`. 401 means that the token is missing or
dead: register again. 403 \`insufficient_scope\` names \`scopes_required\`: be claimed. 402 \`quota_exceeded\`: the sandbox is used up.
429: wait \`Retry-After\` seconds; \`RateLimit\` tells what is left. All codes: ${baseUrl}/docs/errors
`
}
