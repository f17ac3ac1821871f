// Where a weakness is reported (RFC 9116). Who runs this service takes reports, not who wrote it, so contact and end come from its
// settings; without both, or past the end, there is no file, and the answer says which setting is missing.
import type { Config } from '../config/config.ts'
import { iso } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import type { Route } from '../platform/http/ports.ts'

type Settings = Pick<Config, 'baseUrl' | 'securityContact' | 'securityExpires'>

export const securityTxtRoute = (settings: Settings): Route => ({
  method: 'GET',
  path: '/.well-known/security.txt',
  kind: 'document',
  handle: ({ now }) =>
    new Response(securityTxt(settings, now), {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' },
    }),
})

function securityTxt({ baseUrl, securityContact: contacts, securityExpires: expires }: Settings, now: number): string {
  const missing = [
    ...(contacts.length === 0 ? ['a contact for reports of weaknesses (ROSTRUM_SECURITY_CONTACT)'] : []),
    ...(expires === null ? ['until when it holds (ROSTRUM_SECURITY_EXPIRES)'] : []),
  ]
  if (missing.length > 0) throw none(`The operator of this service has not set ${missing.join(' and ')}.`)
  if (expires === null || expires <= now)
    throw none('What the operator of this service said here held until ROSTRUM_SECURITY_EXPIRES, which is past.')
  return `${[
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${iso(expires)}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
  ].join('\n')}\n`
}

const none = (words: string) => new ServiceError('not_found', words)
