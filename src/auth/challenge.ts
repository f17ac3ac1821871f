// The `WWW-Authenticate` values of spec 5.3 and RFC 6750 section 3, byte for byte. A 401 without a credential carries the
// bare form, so that a client knows it has sent nothing wrong.
import type { ServiceError } from '../kernel/errors.ts'

/** What a client may know us by (RFC 8707): the service, whose document every challenge names, and the MCP server at either address. */
export function resourcesOf(baseUrl: string): [service: string, mcp: string, mcpOfApi: string] {
  return [baseUrl, `${baseUrl}/mcp`, `${baseUrl}/api/v1/mcp`]
}

/** Whether `resource` names us; a client that writes addresses as URLs puts a slash behind the origin. */
export function isOwnResource(baseUrl: string, resource: string): boolean {
  return resource === `${baseUrl}/` || resourcesOf(baseUrl).includes(resource)
}

export function resourceMetadataUrl(baseUrl: string): string {
  return `${baseUrl}/.well-known/oauth-protected-resource`
}

/** No credential was sent. */
export function bareChallenge(baseUrl: string): string {
  return `Bearer resource_metadata="${resourceMetadataUrl(baseUrl)}"`
}

/** A credential was sent and is not alive. The words do not say why, and hold no quote or backslash. */
export function invalidTokenChallenge(baseUrl: string): string {
  return `${bareChallenge(baseUrl)}, error="invalid_token", error_description="${badCredential}"`
}

/** The credential is alive and lacks a scope; `scopes` are all that the operation needs. */
export function scopeChallenge(baseUrl: string, scopes: readonly string[]): string {
  return `Bearer error="insufficient_scope", scope="${scopes.join(' ')}", resource_metadata="${resourceMetadataUrl(baseUrl)}"`
}

export const badCredential = 'The credential is malformed, expired or revoked: use another, or get a new one.'

/** The challenge that belongs on the response to `error`, if any. What the authenticator has put on the error itself wins. */
export function challengeFor(error: ServiceError, baseUrl: string): string | undefined {
  const own = error.extra.headers?.['WWW-Authenticate']
  if (own !== undefined) return own
  if (error.code === 'invalid_token') return bareChallenge(baseUrl)
  const needed = error.extra.members?.['scopes_required']
  return error.code === 'insufficient_scope' && Array.isArray(needed) ? scopeChallenge(baseUrl, needed.map(String)) : undefined
}
