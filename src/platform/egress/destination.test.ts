import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressBytes, isPublicAddress, parseCidr } from './address.ts'
import { type EgressPolicy, judgeAddresses, judgeDestination, parseDestination } from './destination.ts'

const strict: EgressPolicy = { allow: [], ports: new Set([443, 8443]), insecureHttp: false, ownOrigin: 'https://talks.example.org' }
const loopback: EgressPolicy = { ...strict, allow: [parseCidr('127.0.0.0/8')].flatMap((cidr) => cidr ?? []) }

/** What is known before any query. */
function verdict(url: string, policy = strict): 'pass' | 'refuse' {
  const parsed = parseDestination(url)
  return parsed.ok && judgeDestination(parsed.destination, policy) === undefined ? 'pass' : 'refuse'
}

test('text that a URL parser would repair is refused', () => {
  const spellings = [
    'https://user@good.org/',
    'https://user:pw@good.org/',
    'https://@good.org/',
    'https:good.org',
    'https:/good.org',
    'https:///good.org/',
    'https:\\\\good.org',
    'https://good.org\\@evil.org',
    ' https://good.org',
    'https://good.org ',
    'https://go\tod.org',
    'https://go\nod.org',
    'https://good.org/#part',
    'https://good.org/a b',
    'https://good.org/\u0000',
    'https://good.org/\u0085',
    'https://good.org/\u200a',
    'ftp://good.org/',
    'file:///etc/passwd',
    'gopher://good.org/',
    'javascript:alert(1)',
    'data:text/plain,x',
    '//good.org/',
    'good.org',
    '',
    'https://',
    'https://?',
    'https://good.org:0/',
    'https://good.org:65536/',
    'https://go_od.org/',
    'https://-good.org/',
    'https://good-.org/',
    'https://good..org/',
    `https://${'a'.repeat(64)}.org/`,
    `https://good.org/${'a'.repeat(2_048)}`,
    'https://good.org..',
    'https://[::1%25lo]/',
    'https://[fe80::1%eth0]/',
    'https://\ud800.org/',
    'https://%00.org/',
  ]
  for (const url of spellings) assert.equal(verdict(url), 'refuse', JSON.stringify(url))
})

test('ordinary public addresses pass', () => {
  for (const url of [
    'https://good.org',
    'https://good.org/',
    'HTTPS://GOOD.org/Path?q=1',
    'https://good.org:8443/hook',
    'https://good.org.',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
    'https://xn--bcher-kva.org/',
    'https://b\u00fccher.org/',
    'https://a.b.c.d.e.good.org/x',
  ])
    assert.equal(verdict(url), 'pass', url)
})

test('every spelling of a private address that the URL parser folds is refused', () => {
  for (const host of [
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '127\u30020\u30020\u30021',
    '\uff11\uff12\uff17.0.0.1',
    '%31%32%37.0.0.1',
    '\u2460\u2461\u2466.0.0.1',
    '0',
    '0x0',
    '169.254.169.254',
    '0xa9fea9fe',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[::]',
    '192.168.1',
  ])
    assert.equal(verdict(`https://${host}/`), 'refuse', host)
})

test('a random spelling of a refused IPv4 address never passes', () => {
  const part = (value: number) => fc.constantFrom(String(value), `0x${value.toString(16)}`, `0${value.toString(8)}`)
  const full = (text: string) =>
    Array.from(text, (digit) => (/\d/.test(digit) ? String.fromCharCode(digit.charCodeAt(0) + 0xfee0) : digit)).join('')
  const spelling = fc.ipV4().chain((address) => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
    const dots = fc.constantFrom('.', '\u3002', '\uff0e', '%2e')
    const host = fc.oneof(
      fc.tuple(part(a), part(b), part(c), part(d), dots).map(([w, x, y, z, dot]) => [w, x, y, z].join(dot)),
      fc.tuple(part(a), part(b * 65_536 + c * 256 + d)).map((parts) => parts.join('.')),
      fc.tuple(part(a), part(b), part(c * 256 + d)).map((parts) => parts.join('.')),
      part(a * 16_777_216 + b * 65_536 + c * 256 + d),
      fc.constant(full(address)),
      fc.constant(`[::ffff:${address}]`),
      fc.constant(`[::${address}]`),
      fc.constant(`[64:ff9b::${address}]`),
    )
    return host.map((text) => ({ address, text }))
  })
  fc.assert(
    fc.property(spelling, ({ address, text }) => {
      const bytes = addressBytes(address) ?? new Uint8Array()
      if (!isPublicAddress(bytes) || text.startsWith('[')) assert.equal(verdict(`https://${text}/`), 'refuse', `${text} means ${address}`)
      else assert.equal(verdict(`https://${text}/`), 'pass', `${text} means ${address}`)
    }),
    { numRuns: 10_000 },
  )
})

test('names that public DNS does not hold are refused without a query', () => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'db',
    'printer.local',
    'metadata.google.internal',
    'x.lan',
    'x.home',
    'x.corp',
    'x.test',
    'x.example',
    'x.invalid',
    'x.onion',
    '1.0.0.127.in-addr.arpa',
    'api.default.svc',
    'api.default.svc.cluster',
    'x.localdomain',
  ])
    assert.equal(verdict(`https://${host}/`), 'refuse', host)
})

test('with an allow list the addresses decide about special names, ports and plain http', () => {
  for (const url of ['http://receiver.test:9000/', 'https://localhost:5000/', 'http://127.0.0.1:8081/']) {
    const parsed = parseDestination(url)
    assert.ok(parsed.ok)
    assert.equal(judgeDestination(parsed.destination, loopback), undefined, url)
    assert.equal(judgeAddresses(parsed.destination, ['127.0.0.1'], loopback), undefined, url)
    assert.equal(judgeAddresses(parsed.destination, ['93.184.216.34'], loopback)?.reason, 'blocked_destination', url)
    assert.equal(judgeAddresses(parsed.destination, ['127.0.0.1', '93.184.216.34'], loopback)?.reason, 'blocked_destination', url)
  }
})

test('one refused address among public ones refuses the destination', () => {
  const parsed = parseDestination('https://mixed.org/')
  assert.ok(parsed.ok)
  assert.equal(judgeAddresses(parsed.destination, ['93.184.216.34', '10.0.0.1'], strict)?.reason, 'blocked_destination')
  assert.equal(judgeAddresses(parsed.destination, ['93.184.216.34', '2606:4700::1'], strict), undefined)
  assert.equal(judgeAddresses(parsed.destination, Array(17).fill('93.184.216.34'), strict)?.reason, 'blocked_destination')
  assert.equal(judgeAddresses(parsed.destination, [], strict)?.reason, 'blocked_destination')
})

test('plain http and other ports need the switch', () => {
  assert.equal(verdict('http://good.org/'), 'refuse')
  assert.equal(verdict('https://good.org:22/'), 'refuse')
  const open = { ...strict, insecureHttp: true }
  assert.equal(verdict('http://good.org/', open), 'pass')
  assert.equal(verdict('http://good.org:8080/', open), 'pass')
  assert.equal(verdict('http://good.org:22/', open), 'refuse')
  assert.equal(verdict('http://127.0.0.1/', open), 'refuse')
})

test('the own origin is refused, in any spelling', () => {
  for (const url of ['https://talks.example.org/api', 'https://TALKS.example.org:443/', 'https://talks.example.org./']) {
    assert.equal(verdict(url), 'refuse', url)
  }
})
