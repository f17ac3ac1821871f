// The list of human pages, for the HTTP surface to mount; nothing here depends on its framework.
import { sendClaim, showClaim } from './claim-page.ts'
import { sendInvite, showInvite } from './invite-page.ts'
import type { PagesDeps } from './page.ts'
import { sheetPath, sheetResponse } from './page.ts'
import { sendRecover, showRecover } from './recover-page.ts'
import { sendReset, showReset } from './reset-page.ts'
import { sendSetup, showSetup } from './setup-page.ts'
import { sendSignIn, sendSignOut, showSignIn } from './sign-in-page.ts'
import { sendVerify, showVerify } from './verify-page.ts'
import type { PageCall } from './visitor.ts'

export interface AuthRoute {
  method: 'GET' | 'POST'
  path: string
  kind: 'page' | 'document' | 'protocol'
  handle(call: PageCall): Response | Promise<Response>
}

type Act = (deps: PagesDeps, call: PageCall) => Promise<Response>

export function authRoutes(deps: PagesDeps): AuthRoute[] {
  const page = (method: 'GET' | 'POST', path: string, act: Act): AuthRoute => ({
    method,
    path,
    kind: 'page',
    handle: (call) => act(deps, call),
  })
  return [
    { method: 'GET', path: sheetPath, kind: 'document', handle: sheetResponse },
    page('GET', '/setup/:token', showSetup),
    page('POST', '/setup/:token', sendSetup),
    page('GET', '/invite/:token', showInvite),
    page('POST', '/invite/:token', sendInvite),
    page('GET', '/reset/:token', showReset),
    page('POST', '/reset/:token', sendReset),
    page('GET', '/verify/:token', showVerify),
    page('POST', '/verify/:token', sendVerify),
    page('GET', '/dashboard/recover', showRecover),
    page('POST', '/dashboard/recover', sendRecover),
    page('GET', '/claim/:token', showClaim),
    page('POST', '/claim/:token', sendClaim),
    page('GET', '/dashboard/sign-in', showSignIn),
    page('POST', '/dashboard/sign-in', sendSignIn),
    page('POST', '/dashboard/sign-out', sendSignOut),
  ]
}
