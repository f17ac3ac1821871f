// Wire shapes that several operations of `/api/v1/account` share.
import { z } from 'zod'

export const role = z.enum(['owner', 'admin', 'member'])
export const mailOutcome = z
  .enum(['sent', 'waiting', 'refused'])
  .describe('Whether the mail was handed over; `waiting`: it is tried again.')
export const accountShape = z.object({ id: z.uuid(), name: z.string(), role })

export const accountView = z.object({
  user: z.object({ id: z.uuid(), email: z.string(), name: z.string() }),
  account: accountShape,
  role,
  sendsMail: z.boolean().describe('Whether this service mails links, or people hand them over.'),
  accounts: z.array(accountShape).describe('Those this person may switch to.'),
  csrf: z.string().describe('Send it as `X-CSRF-Token` with every unsafe request of the dashboard.'),
})
