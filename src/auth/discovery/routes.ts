// The discovery documents as routes: public, the same for everybody, revalidated by `ETag`, readable from every origin.
import { createHash } from 'node:crypto'
import { resourcesOf } from '../challenge.ts'
import type { AuthRoute } from '../pages/pages.ts'
import type { AuthMarkdownOptions } from './auth-md.ts'
import { authMarkdown } from './auth-md.ts'
import type { DiscoveryOptions } from './metadata.ts'
import { authorizationServer, protectedResource } from './metadata.ts'

export function discoveryRoutes(options: DiscoveryOptions & AuthMarkdownOptions): AuthRoute[] {
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

function document(path: string, type: string, body: string): AuthRoute {
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
