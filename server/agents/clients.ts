// What a client may register (RFC 7591), judged before the provider sees it: public clients with PKCE, https redirects anywhere,
// http to this machine alone, private-use schemes for native apps.
import { z } from 'zod'
import { isOwnResource } from '../accounts/authenticate.ts'
import type { AuthDeps } from './deps.ts'
import { isHostName } from '@rostrum/contract/fields'
import type { Outbound } from '../platform/egress/outbound.ts'
import { anonymousScopes, isScope } from '../platform/principal.ts'
import { clientName } from './registration.ts'
import { actorOf, recordAct } from '../accounts/audit.ts'
import { revokeCredentials } from '../accounts/credentials.ts'
import { iso, isoOrNull } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import { operation, signedIn } from '../platform/operation.ts'
import type { Reader, Tx } from '../platform/db/store.ts'

const redirectsMax = 10

const body = z.object({
  redirect_uris: z.array(z.string().max(2_048)).min(1).max(redirectsMax),
  client_name: clientName.optional(),
  grant_types: z.array(z.string()).optional(),
  client_uri: z.string().max(2_048).optional(),
  software_id: z.string().max(200).optional(),
  software_version: z.string().max(200).optional(),
})

export type ClientVerdict =
  | { ok: true; metadata: Readonly<Record<string, unknown>> }
  | { ok: false; error: 'invalid_redirect_uri' | 'invalid_client_metadata'; words: string }

/** The metadata that the provider may store; members that we do not know are left out. */
export function judgeClient(sent: unknown): ClientVerdict {
  const parsed = body.safeParse(sent)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const isRedirect = issue?.path[0] === 'redirect_uris'
    const words = isRedirect ? `Send 1 to ${redirectsMax} redirect_uris.` : 'Some metadata of the client is not valid.'
    return { ok: false, error: isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata', words }
  }
  const kinds = parsed.data.redirect_uris.map(redirectKind)
  if (kinds.includes('refused')) {
    const words = 'Redirects are https, http to this machine, or a private-use scheme; without user name, fragment or wildcard.'
    return { ok: false, error: 'invalid_redirect_uri', words }
  }
  const { redirect_uris, client_name: name } = parsed.data
  const metadata = {
    redirect_uris,
    client_name: name ?? new URL(redirect_uris[0] ?? '').hostname,
    // Loopback ports may vary for native clients only (RFC 8252 section 7.3).
    application_type: kinds.every((kind) => kind !== 'web') ? 'native' : 'web',
    token_endpoint_auth_method: 'none',
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
  }
  return { ok: true, metadata }
}

const never = new Set(['javascript:', 'data:', 'file:', 'blob:', 'vbscript:', 'about:', 'ws:', 'wss:', 'ftp:'])
const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** `web`, `loopback` or `private` (RFC 8252), or `refused`. Total. */
export function redirectKind(text: string): 'web' | 'loopback' | 'private' | 'refused' {
  const url = /^[\x21-\x7e]+$/.test(text) && !/[*\\#]/.test(text) ? URL.parse(text) : null
  if (url === null || url.username !== '' || url.password !== '' || never.has(url.protocol)) return 'refused'
  if (url.protocol === 'https:') return isHostName(url.hostname) ? 'web' : 'refused'
  if (url.protocol === 'http:') return loopback.has(url.hostname) ? 'loopback' : 'refused'
  // A scheme of its own is named after a domain in reverse (RFC 8252 section 7.1), or is a plain word of an app.
  return /^[a-z][a-z0-9+.-]{2,}:$/.test(url.protocol) && /^[A-Za-z0-9._-]*$/.test(url.hostname) ? 'private' : 'refused'
}

// Clients that are known by the address of a document about them (Client ID Metadata Documents, draft 02): fetched through the
// outbound guard alone, and held to the same rules as clients that register.

const bytesMax = 16_384
const timeoutMs = 5_000
const perOrigin = { name: 'client-documents', count: 30, windowMs: 60_000 }

/** Strangers choose what is fetched, so each of their origins is asked at most 30 times a minute. */
export async function mayFetch({ limiter, clock }: Pick<AuthDeps, 'limiter' | 'clock'>, clientId: string): Promise<boolean> {
  const url = URL.parse(clientId)
  // Without a path it would be the address of a site, not of a document.
  if (url === null || url.pathname === '/') return false
  return (await limiter.take([{ policy: perOrigin, key: url.origin }], clock.now(), true)).allowed
}

/** The document, rewritten to what we allow; any other answer than 200 makes the provider refuse the client. */
export async function fetchClient(outbound: Pick<Outbound, 'request'> | undefined, url: string): Promise<Response> {
  const answer = await outbound?.request({ url, headers: { accept: 'application/json' }, maxBytes: bytesMax, timeoutMs, redirects: 0 })
  if (answer === undefined || !answer.ok || answer.status !== 200) return new Response(null, { status: 502 })
  const document = documentOf(answer.body)
  const verdict = judgeClient(document)
  if (document === undefined || !verdict.ok || document['client_id'] !== url) return new Response(null, { status: 400 })
  const cacheControl = answer.headers['cache-control']
  return Response.json(
    { client_id: url, ...verdict.metadata },
    { headers: cacheControl === undefined ? {} : { 'cache-control': cacheControl } },
  )
}

function documentOf(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

// What clients send for `scope` and `resource` (RFC 8707), brought to what we grant: unknown scopes are dropped, every address of
// ours means the MCP server.

/** The one audience of every token. */
export function mcpResource(baseUrl: string): string {
  return `${baseUrl}/mcp`
}

/** Resources that mean us; others stay as they are, and the provider refuses them as `invalid_target`. */
export function ownResource(baseUrl: string, resource: string): string {
  return isOwnResource(baseUrl, resource) ? mcpResource(baseUrl) : resource
}

/** Changes the parameters of an authorization request in place. Absent scopes become those of an unclaimed agent. */
export function settleAuthorize(parameters: URLSearchParams, baseUrl: string): void {
  const wanted = parameters.get('scope')
  const asked = wanted?.split(' ').filter((scope) => isScope(scope) || scope === 'offline_access')
  const scopes = asked === undefined || !asked.some(isScope) ? [...anonymousScopes, ...(asked ?? [])] : asked
  parameters.set('scope', [...new Set(scopes)].join(' '))
  settleResource(parameters, baseUrl)
  if (!parameters.has('resource')) parameters.set('resource', mcpResource(baseUrl))
}

export function settleResource(parameters: URLSearchParams, baseUrl: string): void {
  const resources = new Set(parameters.getAll('resource').map((resource) => ownResource(baseUrl, resource)))
  parameters.delete('resource')
  for (const resource of resources) parameters.append('resource', resource)
}

// What people have allowed clients (consents): ending one ends its whole family of tokens, on every node.

/** Marks the grant and ends every token of it. False where it had ended, or never was. */
export async function endGrant(tx: Tx, grantId: string, { reason, now }: { reason: string; now: number }): Promise<boolean> {
  const ended = await tx
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('grant_id', '=', grantId)
    .where('revoked_at', 'is', null)
    .returning('grant_id')
    .executeTakeFirst()
  await revokeCredentials(tx, { grant_id: grantId }, { reason, now })
  await tx.deleteFrom('oauth_records').where('grant_id', '=', grantId).execute()
  return ended !== undefined
}

/** The live consents of a person in an account, newest first, and when a token of each was last used. */
export function listGrants(read: Reader, userId: string, accountId: string) {
  return read
    .selectFrom('oauth_grants')
    .selectAll()
    .select((row) =>
      row
        .selectFrom('credentials')
        .select(({ fn }) => fn.max('credentials.last_used_at').as('at'))
        .whereRef('credentials.grant_id', '=', 'oauth_grants.grant_id')
        .as('last_used_at'),
    )
    .where('user_id', '=', userId)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('grant_id', 'desc')
    .execute()
}

// GET /api/v1/account/apps: the applications this person has allowed by OAuth, in this account.

const shape = z.object({
  id: z.string(),
  name: z.string().describe('What the application calls itself; unverified.'),
  redirectHost: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
})

export const listApps = operation({
  access: signedIn,
  name: 'list_apps',
  summary: 'List allowed applications',
  input: z.object({}),
  run: (_, { principal }, { store }: Pick<AuthDeps, 'store'>) => listGrants(store.read, principal.userId, principal.accountId),
  http: {
    method: 'GET',
    path: '/api/v1/account/apps',
    output: z.object({ apps: z.array(shape) }),
    view: (grants) => ({
      apps: grants.map((grant) => ({
        id: grant.grant_id,
        name: grant.client_name,
        redirectHost: grant.redirect_host,
        scopes: grant.scopes.split(' '),
        createdAt: iso(grant.created_at),
        lastUsedAt: isoOrNull(grant.last_used_at),
      })),
    }),
  },
})

// DELETE /api/v1/account/apps/{grantId}: takes back what an application was allowed, with all its tokens.

type AppDeps = Pick<AuthDeps, 'store' | 'ids'>

export const revokeApp = operation({
  access: signedIn,
  name: 'revoke_app',
  summary: 'End an allowed application',
  input: z.object({ grantId: z.string().max(100) }),
  run: async ({ grantId }, call, { store, ids }: AppDeps) => {
    const { userId, accountId } = call.principal
    await store.write(async (tx) => {
      const mine = await listGrants(tx, userId, accountId)
      if (!mine.some((grant) => grant.grant_id === grantId))
        throw new ServiceError('not_found', 'There is no such application. List yours to see their ids.')
      await endGrant(tx, grantId, { reason: 'consent taken back', now: call.now })
      await recordAct(tx, ids, actorOf(call), { action: 'consent.ended', accountId, target: ['grant', grantId] })
    })
  },
  http: { method: 'DELETE', path: '/api/v1/account/apps/{grantId}', status: 204 },
})
