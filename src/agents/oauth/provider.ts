// The OAuth 2.1 server for MCP connectors (RFC 6749, 7591, 7636, 8707, 9207): oidc-provider with our store, our tokens and our
// consent page. Everything it could do beyond that is switched off.
import { type Configuration, errors, type JWK, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { AuthDeps } from '../deps.ts'
import { mint } from '../../accounts/token.ts'
import { scopes } from '../../platform/principal.ts'
import { oauthAdapter } from './adapter.ts'
import { mcpResource } from './authorize-query.ts'
import { fetchClient, mayFetch } from './clients.ts'

const minute = 60
const day = 86_400
const accessTokenSeconds = 3_600

export type ProviderDeps = Pick<AuthDeps, 'store' | 'clock' | 'ids' | 'settings' | 'limiter' | 'outbound'>

/** An authorization error that cannot be sent back to the client is shown as our page. */
export type RenderError = (words: string) => { headers: Headers; body: string }

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
    renderError: (ctx, out) => show(ctx, renderError(out.error_description ?? out.error)),
  }
  const provider = new Provider(baseUrl, configuration)
  // The bridge sets the forwarded headers itself, from the configured address.
  provider.proxy = true
  useOwnTokens(provider, deps)
  return provider
}

function show(ctx: KoaContextWithOIDC, { headers, body }: ReturnType<RenderError>): void {
  for (const [name, value] of headers) ctx.set(name, value)
  ctx.body = body
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
