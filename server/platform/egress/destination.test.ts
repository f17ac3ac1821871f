import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addressBytes,
  cidrContains,
  classifyAddress,
  type EgressPolicy,
  isPublicAddress,
  judgeAddresses,
  judgeDestination,
  parseCidr,
  parseDestination,
} from './destination.ts'

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

const refused = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.175.48.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:1ff:ffff::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2620:4f:8000::1',
  '3fff::1',
  '3fff:fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2600::5efe:7f00:1',
  '2600::200:5efe:7f00:1',
  'fe80::1%eth0',
  '2600::1%1',
  'localhost',
  '',
  '1.2.3',
  '01.2.3.4',
]
const reachable = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '168.63.129.17',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700::1111',
  '2400::1',
  '3ffe::1',
  '2620:4f:8001::1',
]

test('every special-purpose address is refused', () => {
  for (const address of refused) assert.equal(classifyAddress(address, []), 'refused', address)
})

test('public addresses pass, up to the edges of the refused ranges', () => {
  for (const address of reachable) assert.equal(classifyAddress(address, []), 'public', address)
})

test('the allow list wins over the rule, on the unmapped address', () => {
  const allow = [parseCidr('10.0.0.0/8'), parseCidr('fd00::/8')].flatMap((cidr) => cidr ?? [])
  assert.equal(classifyAddress('10.9.9.9', allow), 'allowed')
  assert.equal(classifyAddress('::ffff:10.9.9.9', allow), 'allowed')
  assert.equal(classifyAddress('fd00::1', allow), 'allowed')
  assert.equal(classifyAddress('11.0.0.1', allow), 'public')
  assert.equal(classifyAddress('192.168.0.1', allow), 'refused')
})

test('no address outside 2000::/3 and public IPv4 passes, whatever its spelling', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const bytes = addressBytes(text)
      assert.equal(bytes?.length, 16, text)
      if (((bytes?.[0] ?? 0) & 0xe0) !== 0x20) assert.equal(classifyAddress(text, []), 'refused')
    }),
    { numRuns: 5_000 },
  )
})

test('an IPv6 address is read as the WHATWG parser reads it', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) ?? ''
      assert.deepEqual(addressBytes(text), addressBytes(canonical))
    }),
  )
})

test('a CIDR holds exactly the addresses that share its prefix', () => {
  const cidr = parseCidr('172.16.0.0/12')
  assert.ok(cidr)
  for (const [text, inside] of [
    ['172.16.0.0', true],
    ['172.31.255.255', true],
    ['172.32.0.0', false],
    ['172.15.255.255', false],
    ['::1', false],
  ] as const) {
    assert.equal(cidrContains(cidr, addressBytes(text) ?? new Uint8Array()), inside, text)
  }
  for (const bad of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', 'fd00::/129', 'x', '10.0.0.0/-1', '10.0.0.0/1e1']) {
    assert.equal(parseCidr(bad), undefined, bad)
  }
})
