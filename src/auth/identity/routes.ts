// `/agent/*`, the wire of the current auth.md generation as routes. It still moves, so it is kept apart from the operations, which stay.
import { ServiceError } from '../../kernel/errors.ts'
import type { Call, RateBucket } from '../../kernel/operation.ts'
import { parseBody, readBody } from '../form.ts'
import type { PagesDeps } from '../pages/page.ts'
import type { AuthRoute } from '../pages/pages.ts'
import type { PageCall } from '../pages/visitor.ts'
import { completeClaim, startClaim } from './claim-identity.ts'
import { notifyEvent } from './notify-event.ts'
import { inProfileWords, registerIdentity } from './register-identity.ts'

type Act = (deps: PagesDeps, call: Call, body: Readonly<Record<string, unknown>>) => Promise<object>

export function identityRoutes(deps: PagesDeps): AuthRoute[] {
  const json = (path: string, act: Act, bucketOf: (body: Readonly<Record<string, unknown>>) => RateBucket): AuthRoute => ({
    method: 'POST',
    path,
    kind: 'protocol',
    async handle(page) {
      const call = callOf(page)
      try {
        const body = await parseBody(page.request)
        const limits = await limited(deps, call, bucketOf(body))
        return Response.json(await act(deps, call, body), { headers: { ...limits, 'Cache-Control': 'no-store' } })
      } catch (error) {
        throw inProfileWords(error)
      }
    },
  })
  return [
    json('/agent/identity', registerIdentity, ({ type }) => (type === 'refresh' ? 'api' : 'register')),
    json('/agent/identity/claim', startClaim, () => 'api'),
    json('/agent/identity/claim/complete', completeClaim, () => 'api'),
    {
      method: 'POST',
      path: '/agent/event/notify',
      kind: 'protocol',
      async handle(page) {
        const call = callOf(page)
        await limited(deps, call, 'api')
        return notifyEvent(deps, call, await readBody(page.request))
      },
    },
  ]
}

/** Nobody calls: the secrets are in the body. A credential sent along is ignored. */
export function callOf({ request, requestId, address, now }: PageCall): Call {
  return { principal: { kind: 'nobody' }, requestId, address, now, signal: request.signal }
}

async function limited({ limiter }: PagesDeps, call: Call, bucket: RateBucket): Promise<Readonly<Record<string, string>>> {
  const { allowed, headers } = await limiter.consume(bucket, call)
  if (allowed) return headers
  throw new ServiceError('rate_limited', `Too many calls. Try again in ${headers['Retry-After'] ?? '1'} s.`, { headers })
}
