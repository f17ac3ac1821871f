// Brings what clients send for `scope` and `resource` (RFC 8707) to what we grant: unknown scopes are dropped, every address of
// ours means the MCP server.
import { isOwnResource } from '../../accounts/authenticate.ts'
import { anonymousScopes, isScope } from '../../platform/principal.ts'

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
