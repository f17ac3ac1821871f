// Who finds a weakness finds whom to tell (RFC 9116), or hears why not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openService } from '../support/service.ts'
import { readConfig } from '../../server/config/config.ts'

const path = '/.well-known/security.txt'

async function answered(env: Record<string, string>) {
  const app = await openService({ env })
  try {
    return { ...(await app.request(path)), baseUrl: app.baseUrl }
  } finally {
    await app.close()
  }
}

test('security.txt names contact and end as RFC 9116 has it', async () => {
  const env = { ROSTRUM_SECURITY_CONTACT: 'security@acme.example, https://acme.example/report', ROSTRUM_SECURITY_EXPIRES: '2027-06-30' }
  const { status, headers, text, baseUrl } = await answered(env)
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8'])
  assert.deepEqual(text.split('\n'), [
    'Contact: mailto:security@acme.example',
    'Contact: https://acme.example/report',
    'Expires: 2027-06-30T00:00:00.000Z',
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${path}`,
    '',
  ])
})

test('without a contact or an end there is no security.txt, and the answer says which setting is missing', async () => {
  const none = await answered({})
  assert.equal(none.status, 404)
  assert.match(none.text, /ROSTRUM_SECURITY_CONTACT.*ROSTRUM_SECURITY_EXPIRES/)
  const half = await answered({ ROSTRUM_SECURITY_CONTACT: 'security@acme.example' })
  assert.deepEqual([half.status, /SECURITY_CONTACT/.test(half.text), /SECURITY_EXPIRES/.test(half.text)], [404, false, true])
  const past = await answered({ ROSTRUM_SECURITY_CONTACT: 'security@acme.example', ROSTRUM_SECURITY_EXPIRES: '2020-01-01' })
  assert.deepEqual([past.status, /is past/.test(past.text)], [404, true])
})

test('a contact or an end that is none stops the start in words', () => {
  const { problems } = readConfig({ ROSTRUM_SECURITY_CONTACT: 'javascript:alert(1)', ROSTRUM_SECURITY_EXPIRES: 'next year' })
  assert.deepEqual(
    problems.map((words) => words.split(':')[0]),
    ['ROSTRUM_SECURITY_CONTACT', 'ROSTRUM_SECURITY_EXPIRES'],
  )
})
