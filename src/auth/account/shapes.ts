// Wire shapes that several operations of `/api/v1/account` share.
import { z } from 'zod'

export const role = z.enum(['owner', 'admin', 'member'])
export const accountShape = z.object({ id: z.uuid(), name: z.string(), role })

export const accountView = z.object({
  user: z.object({ id: z.uuid(), email: z.string(), name: z.string() }),
  account: accountShape,
  role,
  accounts: z.array(accountShape).describe('Those this person may switch to.'),
  csrf: z.string().describe('Send it as `X-CSRF-Token` with every unsafe request of the dashboard.'),
})
