// How a member is shown in `/api/v1/account/members`.
import { iso } from '../../kernel/iso.ts'
import { z } from 'zod'
import type { Member } from '../members.ts'
import { role } from './shapes.ts'

export const memberShape = z.object({ userId: z.uuid(), email: z.string(), name: z.string(), role, joinedAt: z.iso.datetime() })

export function memberView(member: Member) {
  return { ...member, joinedAt: iso(member.joinedAt) }
}
