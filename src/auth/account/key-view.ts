// How an API key is shown in `/api/v1/account/keys`: everything but the secret.
import { z } from 'zod'
import { iso } from '../../kernel/iso.ts'
import { scopes } from '../../kernel/principal.ts'
import type { KeyRecord } from '../keys.ts'
import { isoOrNull } from './time.ts'

export const keyShape = z.object({
  id: z.uuid(),
  name: z.string(),
  kind: z.literal('live'),
  last4: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  replacedBy: z.uuid().nullable().describe('The key made in its place; this one works until `expiresAt`.'),
})

export function keyView(key: KeyRecord) {
  return {
    id: key.id,
    name: key.name,
    kind: key.kind,
    last4: key.last4,
    scopes: key.scopes,
    createdAt: iso(key.createdAt),
    lastUsedAt: isoOrNull(key.lastUsedAt),
    expiresAt: isoOrNull(key.expiresAt),
    replacedBy: key.replacedBy,
  }
}
