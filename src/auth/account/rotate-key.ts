// POST /api/v1/account/keys/{keyId}/rotate: a new key in the place of an old one, which works on for a grace (spec 5.2).
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import { iso } from '../../kernel/iso.ts'
import { creates, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { keysOf } from '../keys.ts'
import { rotateKey as replaceKey } from '../rotate-key.ts'
import { requireFresh } from './fresh.ts'
import { keyShape, keyView } from './key-view.ts'

const graceSecondsMax = 30 * 86_400

export const rotateKey = operation({
  name: 'rotate_key',
  area: 'account',
  summary: 'Replace an API key, with overlap',
  description:
    'The new key has the name, scopes and length of life of the old one and is in this answer and nowhere else. It belongs to the person who rotates; webhooks of the old key go on under it.',
  access: signedIn,
  effects: creates,
  limit: 'api',
  errors: ['not_found', 'conflict', 'login_required', 'sign_in_failed', 'csrf_failed', 'sign_in_required'],
  secret: true,
  input: z.object({
    keyId: uuid,
    graceSeconds: z
      .int()
      .min(0)
      .max(graceSecondsMax)
      .default(86_400)
      .describe('How long the old key works on; 0 ends it at once, for one that leaked. A day unless given.'),
    password: z.string().max(1_024).optional().describe('Needed when the last sign-in is older than ten minutes.'),
  }),
  run: async ({ keyId, graceSeconds, password }, call, deps: AuthDeps) => {
    await requireFresh(deps, call, password)
    const { principal } = call
    const wanted = { id: keyId.toLowerCase(), graceMs: graceSeconds * 1_000, holderId: principal.userId }
    return replaceKey(deps, actorOf(call), keysOf(principal), wanted)
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/keys/{keyId}/rotate',
    status: 201,
    output: keyShape.extend({ key: z.string(), previous: z.object({ id: z.uuid(), endsAt: z.iso.datetime() }) }),
    view: (made) => ({ ...keyView(made), key: made.key, previous: { id: made.previous.id, endsAt: iso(made.previous.endsAt) } }),
  },
})
