// The OAuth 2.1 server for MCP connectors (RFC 6749, 7591, 7636, 8707, 9207): oidc-provider with our store, our tokens and our
// consent page. Everything it could do beyond that is switched off.
import {
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
  type Configuration,
  errors,
  type JWK,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import { hashSecret, issueCredential, mint, revokeCredentials } from '../../accounts/credentials.ts'
import type { Clock, Ids } from '@rostrum/base/clock'
import type { Store, Tx } from '../../platform/db/store.ts'
import type { OAuthRecordRow } from '../../accounts/tables.ts'
import { isScope, scopes } from '../../platform/principal.ts'
import type { AuthDeps } from '../deps.ts'
import { endGrant, fetchClient, mayFetch, mcpResource } from '../clients.ts'

// The provider's records in our store: ids as SHA-256 for every model, the payload without its id, and tokens also as credentials,
// so that one check, one list and one revocation serve them all (RFC 6749, RFC 9700 section 4.14).

/** A registered client that nobody has used for so long is removed; connectors that come back register anew. */
const clientIdleMs = 30 * 86_400_000
/** Use is noted at most once a day. */
const notedEveryMs = 86_400_000

/** Models whose ids are bearer secrets of our own format. */
const tokenKinds: Readonly<Record<string, 'oat' | 'ort'>> = { AccessToken: 'oat', RefreshToken: 'ort' }

function oauthAdapter(store: Store, clock: Clock, ids: Ids): AdapterFactory {
  return (model) => adapterOf(model, store, clock, ids)
}

function adapterOf(model: string, store: Store, clock: Clock, ids: Ids): Adapter {
  const hashOf = (id: string) => hashSecret(`${model} ${id}`)
  const kind = tokenKinds[model]

  async function read(column: 'id_hash' | 'uid', value: string): Promise<OAuthRecordRow | undefined> {
    const row = await store.read
      .selectFrom('oauth_records')
      .selectAll()
      .where(column, '=', value)
      .where('model', '=', model)
      .executeTakeFirst()
    return row === undefined || (row.expires_at !== null && row.expires_at <= clock.now()) ? undefined : row
  }

  async function noteUse({ id_hash, expires_at }: OAuthRecordRow): Promise<void> {
    const until = clock.now() + clientIdleMs
    if (expires_at === null || until - expires_at < notedEveryMs) return
    await store.write((tx) => tx.updateTable('oauth_records').set({ expires_at: until }).where('id_hash', '=', id_hash).execute())
  }

  return {
    async upsert(id, payload, expiresIn) {
      const { jti: _, ...kept } = payload
      const now = clock.now()
      const lifeMs = model === 'Client' ? clientIdleMs : expiresIn === undefined ? undefined : expiresIn * 1_000
      const expiresAt = lifeMs === undefined ? null : now + lifeMs
      const row = {
        model,
        payload: JSON.stringify(withoutSecrets(kept)),
        grant_id: payload.grantId ?? (model === 'Grant' ? id : null),
        uid: payload.uid ?? null,
        expires_at: expiresAt,
      }
      await store.write(async (tx) => {
        await tx
          .insertInto('oauth_records')
          .values({ id_hash: hashOf(id), ...row })
          .onConflict((conflict) => conflict.column('id_hash').doUpdateSet(row))
          .execute()
        if (kind !== undefined) await keepCredential(tx, ids, { token: id, kind, payload, expiresAt, now })
      })
    },
    async find(id) {
      const row = await read('id_hash', hashOf(id))
      if (row !== undefined && model === 'Client') await noteUse(row)
      return row === undefined ? undefined : payloadOf(row, id)
    },
    async findByUid(uid) {
      const row = await read('uid', uid)
      // The id of a session is in its cookie alone; by uid the provider needs only what it says.
      return row === undefined ? undefined : payloadOf(row, uid)
    },
    findByUserCode: () => Promise.resolve(undefined),
    async consume(id) {
      const spent = await store.write((tx) =>
        tx
          .updateTable('oauth_records')
          .set({ consumed_at: clock.now() })
          .where('id_hash', '=', hashOf(id))
          .where('consumed_at', 'is', null)
          .returning('id_hash')
          .executeTakeFirst(),
      )
      if (spent === undefined) throw new errors.InvalidGrant('already spent')
    },
    async destroy(id) {
      await store.write(async (tx) => {
        await tx.deleteFrom('oauth_records').where('id_hash', '=', hashOf(id)).execute()
        const credential = kind && (await tx.selectFrom('credentials').select('id').where('hash', '=', hashSecret(id)).executeTakeFirst())
        if (credential) await revokeCredentials(tx, { id: credential.id }, { reason: 'revoked by the client', now: clock.now() })
      })
    },
    async revokeByGrantId(grantId) {
      await store.write((tx) => endGrant(tx, grantId, { reason: 'grant revoked', now: clock.now() }))
    },
  }
}

/** An interaction repeats the cookie of its session, which nothing reads again. */
function withoutSecrets(payload: AdapterPayload): AdapterPayload {
  if (payload.session === undefined) return payload
  const { cookie: _, ...session } = payload.session
  return { ...payload, session }
}

function payloadOf(row: OAuthRecordRow, id: string): AdapterPayload {
  // The provider wrote this text itself, by `upsert` above.
  const payload = JSON.parse(row.payload) as AdapterPayload
  return { ...payload, jti: id, ...(row.consumed_at !== null && { consumed: Math.floor(row.consumed_at / 1_000) }) }
}

interface NewToken {
  token: string
  kind: 'oat' | 'ort'
  payload: AdapterPayload
  expiresAt: number | null
  now: number
}

/** A token without a grant of ours authenticates nobody. */
async function keepCredential(tx: Tx, ids: Ids, { token, kind, payload, expiresAt, now }: NewToken): Promise<void> {
  const grant = await tx
    .selectFrom('oauth_grants')
    .selectAll()
    .where('grant_id', '=', payload.grantId ?? '')
    .executeTakeFirst()
  const known = await tx.selectFrom('credentials').select('id').where('hash', '=', hashSecret(token)).executeTakeFirst()
  if (grant === undefined || known !== undefined) return
  await issueCredential(tx, ids, {
    kind,
    token,
    accountId: grant.account_id,
    userId: grant.user_id,
    grantId: grant.grant_id,
    clientId: grant.client_id,
    name: grant.client_name,
    scopes: (payload.scope ?? '').split(' ').filter(isScope),
    expiresAt,
    now,
  })
}

const minute = 60
const day = 86_400
const accessTokenSeconds = 3_600

export type ProviderDeps = Pick<AuthDeps, 'store' | 'clock' | 'ids' | 'settings' | 'limiter' | 'outbound'>

/** An authorization error that cannot be sent back to the client is shown as our page. */
export type RenderError = (words: string, request: Pick<Request, 'url' | 'headers'>) => Response

/** `signingKey` is the private key; tokens are opaque, so it signs nothing that outlives an answer. */
export function createProvider(deps: ProviderDeps, renderError: RenderError, signingKey: JWK): Provider {
  const { store, clock, ids, settings } = deps
  const { baseUrl } = settings
  const configuration: Configuration = {
    adapter: oauthAdapter(store, clock, ids),
    jwks: { keys: [signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256', token_endpoint_auth_method: 'none' },
    clientAuthMethods: ['none'],
    responseTypes: ['code'],
    // Ours belong to the resource; listed here they would have to be granted a second time.
    scopes: ['offline_access'],
    cookies: { keys: settings.secrets.map((secret) => secret) },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    // Clients in a browser are public like all others; no answer depends on a cookie.
    clientBasedCORS: () => true,
    revokeGrantPolicy: () => true,
    async findAccount(_ctx, id) {
      const user = await store.read
        .selectFrom('users')
        .select('id')
        .where('id', '=', id)
        .where('disabled_at', 'is', null)
        .executeTakeFirst()
      return user && { accountId: id, claims: () => ({ sub: id }) }
    },
    features: {
      devInteractions: { enabled: false },
      clientIdMetadataDocument: {
        enabled: deps.outbound !== undefined,
        ack: 'draft-02',
        cacheDuration: { min: 30, max: day },
        allowFetch: (_ctx, clientId) => mayFetch(deps, clientId),
      },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => mcpResource(baseUrl),
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx, resource) {
          if (resource !== mcpResource(baseUrl)) throw new errors.InvalidTarget()
          return { scope: scopes.join(' '), audience: resource, accessTokenTTL: accessTokenSeconds, accessTokenFormat: 'opaque' }
        },
      },
    },
    fetch: (input) => fetchClient(deps.outbound, input instanceof Request ? input.url : input.toString()),
    interactions: { url: (_ctx, interaction) => `/oauth2/consent/${interaction.uid}` },
    routes: {
      authorization: '/oauth2/authorize',
      token: '/oauth2/token',
      revocation: '/oauth2/revoke',
      registration: '/oauth2/register',
      jwks: '/.well-known/jwks.json',
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: minute,
      RefreshToken: 30 * day,
      Interaction: 15 * minute,
      Session: 15 * minute,
      Grant: 365 * day,
    },
    renderError: (ctx, out) => show(ctx, renderError(out.error_description ?? out.error, askedBy(ctx))),
  }
  const provider = new Provider(baseUrl, configuration)
  // The bridge sets the forwarded headers itself, from the configured address.
  provider.proxy = true
  useOwnTokens(provider, deps)
  return provider
}

/** What the language of an answer goes by. */
function askedBy(ctx: KoaContextWithOIDC): Pick<Request, 'url' | 'headers'> {
  const headers = new Headers()
  for (const name of ['accept-language', 'cookie']) headers.set(name, ctx.get(name))
  return { url: ctx.href, headers }
}

async function show(ctx: KoaContextWithOIDC, page: Response): Promise<void> {
  for (const [name, value] of page.headers) ctx.set(name, value)
  ctx.body = await page.text()
}

/** Access and refresh tokens in our one format. The original runs first, because it also settles the token's own format member. */
function useOwnTokens(provider: Provider, { ids }: Pick<ProviderDeps, 'ids'>): void {
  for (const [model, kind] of [
    [provider.AccessToken, 'oat'],
    [provider.RefreshToken, 'ort'],
  ] as const) {
    // The types leave the method out; without it the tokens would silently be of another format.
    const original: unknown = Reflect.get(model.prototype, 'generateTokenId')
    if (typeof original !== 'function') throw new Error('oidc-provider has no generateTokenId any more')
    Reflect.set(model.prototype, 'generateTokenId', function generate(this: unknown) {
      Reflect.apply(original, this, [])
      return mint(kind, ids)
    })
  }
}
