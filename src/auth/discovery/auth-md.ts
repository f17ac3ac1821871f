// `/auth.md`: everything an agent needs that has nothing but the base address, as text with literal examples (spec 5). The
// contract tests send the examples as they stand here.
import { scopeWords, scopes } from '../../kernel/principal.ts'
import { claimGrant, jwtBearer } from '../identity/agent-grants.ts'
import { codeLifeMs, pollSeconds, triesMax, undoMs } from '../registrations/registration.ts'

export interface AuthMarkdownOptions {
  baseUrl: string
  title: string
  agentTtlMs: number
  agentClaimedTtlMs: number
  anonymous: boolean
}

export function authMarkdown({ baseUrl, title, agentTtlMs, agentClaimedTtlMs, anonymous }: AuthMarkdownOptions): string {
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
