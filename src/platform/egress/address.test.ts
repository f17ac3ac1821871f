import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressBytes, cidrContains, classifyAddress, parseCidr } from './address.ts'

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
