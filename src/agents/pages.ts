// The list of human pages, for the HTTP surface to mount; nothing here depends on its framework.
import { sendInvite, showInvite } from '../accounts/pages/invite-page.ts'
import { type PagesDeps, sheetPath, sheetResponse } from '../accounts/pages/page.ts'
import { sendRecover, sendReset, showRecover, showReset } from '../accounts/pages/password-pages.ts'
import { sendSetup, showSetup } from '../accounts/pages/setup-page.ts'
import { sendSignIn, sendSignOut, showSignIn } from '../accounts/pages/sign-in-page.ts'
import { sendVerify, showVerify } from '../accounts/pages/verify-page.ts'
import type { PageCall } from '../accounts/pages/visitor.ts'
import { sendClaim, showClaim } from './claim-page.ts'

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
