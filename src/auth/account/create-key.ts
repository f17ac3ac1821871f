// POST /api/v1/account/keys: makes an API key and shows it once (spec 5.2).
import { z } from 'zod'
import { words } from '../../kernel/fields.ts'
import { creates, operation, signedIn } from '../../kernel/operation.ts'
import { scopes } from '../../kernel/principal.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { createKey as makeKey } from '../keys.ts'
import { requireFresh } from './fresh.ts'
import { keyShape, keyView } from './key-view.ts'

const tenYears = 10 * 365 * 86_400

export const createKey = operation({
  name: 'create_key',
  area: 'account',
  summary: 'Make an API key',
  description: 'The key is in this answer and nowhere else: only its fingerprint is kept.',
  access: signedIn,
  effects: creates,
  limit: 'api',
  errors: ['login_required', 'sign_in_failed', 'csrf_failed', 'sign_in_required'],
  secret: true,
  input: z.object({
    name: words(100),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length).optional().describe('Every scope unless given.'),
    expiresIn: z.int().min(60).max(tenYears).nullable().optional().describe('Seconds; null: it never expires; one year unless given.'),
    password: z.string().max(1_024).optional().describe('Needed when the last sign-in is older than ten minutes.'),
  }),
  run: async (request, call, deps: AuthDeps) => {
    await requireFresh(deps, call, request.password)
    const { accountId, userId } = call.principal
    const lifeMs = typeof request.expiresIn === 'number' ? request.expiresIn * 1_000 : request.expiresIn
    return makeKey(deps, actorOf(call), { accountId, userId, name: request.name, scopes: request.scopes, lifeMs })
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/keys',
    status: 201,
    output: keyShape.extend({ key: z.string() }),
    view: (made) => ({ ...keyView(made), key: made.key }),
  },
})
