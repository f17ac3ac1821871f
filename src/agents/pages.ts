// The list of human pages, for the HTTP surface to mount.
import { passwordRoutes } from '../accounts/change-password.ts'
import { verifyRoutes } from '../accounts/change-email.ts'
import { inviteRoutes } from '../accounts/invitations.ts'
import { sheetPath, sheetResponse } from '../accounts/pages/page.ts'
import type { PageRoute, PagesDeps } from '../accounts/pages/visit.ts'
import { setupRoutes } from '../accounts/setup.ts'
import { signInRoutes } from '../accounts/sign-in.ts'
import { claimRoutes } from './claim-page.ts'

export function authRoutes(deps: PagesDeps): PageRoute[] {
  return [
    { method: 'GET', path: sheetPath, kind: 'document', handle: sheetResponse },
    ...setupRoutes(deps),
    ...inviteRoutes(deps),
    ...passwordRoutes(deps),
    ...verifyRoutes(deps),
    ...signInRoutes(deps),
    ...claimRoutes(deps),
  ]
}
