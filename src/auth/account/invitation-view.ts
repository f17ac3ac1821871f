// How an invitation is shown in `/api/v1/account/invitations`: everything but the link.
import { iso } from '../../kernel/iso.ts'
import { z } from 'zod'
import type { Invitation } from '../invitations.ts'
import { role } from './shapes.ts'

export const invitationShape = z.object({
  id: z.uuid(),
  email: z.string(),
  role,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
})

export function invitationView({ id, email, role: as, createdAt, expiresAt }: Invitation) {
  return { id, email, role: as, createdAt: iso(createdAt), expiresAt: iso(expiresAt) }
}
