import assert from 'node:assert/strict'
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { manualClock } from '../../../test/support/clock.ts'
import { type Dials, watchDials } from '../../../test/support/dials.ts'
import { type DnsAnswer, type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts'
import { outboundConfig } from '../../../test/support/outbound.ts'
import { addressQuestion, domainQuestions, isOnLocalList, parseLocalList, parseZones, readAnswer } from './blocklist.ts'
import { createOutbound, type Outbound, type OutboundConfig } from './outbound.ts'

const listings = new Map<string, DnsAnswer>()
const healthy = new Map<string, DnsAnswer>([
  ['2.0.0.127.zen.blk', { addresses: ['127.0.0.2'] }],
  ['test.dbl.blk', { addresses: ['127.0.1.2'] }],
])
let dns: DnsServer
before(async () => {
  dns = await startDnsServer((name, type) => {
    if (name.endsWith('.blk')) return listings.get(name) ?? healthy.get(name) ?? 'nxdomain'
    return type === 'A' ? { addresses: ['93.184.216.34'], ttl: 60 } : { addresses: [] }
  })
})
after(() => dns.close())

let dials: Dials
let counted: string[]
const open: Outbound[] = []
beforeEach(() => {
  listings.clear()
  dns.asked.length = 0
  counted = []
  dials = watchDials()
})
afterEach(async () => {
  dials.restore()
  await Promise.all(open.splice(0).map((outbound) => outbound.close()))
})

async function start(overrides: Partial<OutboundConfig> = {}, clock = manualClock()): Promise<Outbound> {
  const config = outboundConfig({
    dnsServers: [dns.address],
    dnsblZones: ['domain:dbl.blk', 'ip:zen.blk=127.0.0.2-127.0.0.4'],
    ...overrides,
  })
  const outbound = createOutbound(config, {
    clock,
    userAgent: 'Rostrum-Test',
    hosts: '',
    count: (zone, kind) => counted.push(`${zone} ${kind}`),
  })
  open.push(outbound)
  await outbound.blocklist.probe()
  counted = []
  dns.asked.length = 0
  return outbound
}

const reasonFor = async (outbound: Outbound, url = 'https://www.shop.org/') => {
  const outcome = await outbound.request({ url, maxBytes: 100, timeoutMs: 5_000 })
  return outcome.ok ? 'answered' : outcome.reason
}

test('a listed domain, a listed parent and a listed address are not dialled', async () => {
  for (const question of ['www.shop.org.dbl.blk', 'shop.org.dbl.blk', '34.216.184.93.zen.blk']) {
    listings.clear()
    listings.set(question, { addresses: [question.endsWith('zen.blk') ? '127.0.0.3' : '127.0.1.4'] })
    assert.equal(await reasonFor(await start()), 'blocked_destination', question)
  }
  assert.deepEqual(dials.hosts, [])
  assert.deepEqual(counted, ['zen.blk hit'])
})

test('what is not listed is dialled, and asked about once a minute', async () => {
  const clock = manualClock()
  const outbound = await start({}, clock)
  assert.equal(await reasonFor(outbound), 'connect')
  const asked = dns.asked.filter((question) => question.endsWith('.blk'))
  assert.deepEqual(asked.toSorted(), ['A 34.216.184.93.zen.blk', 'A shop.org.dbl.blk', 'A www.shop.org.dbl.blk'])
  await reasonFor(outbound)
  assert.equal(dns.asked.filter((question) => question.endsWith('.blk')).length, 3)
  clock.set(clock.now() + 60_000)
  await reasonFor(outbound)
  assert.equal(dns.asked.filter((question) => question.endsWith('.blk')).length, 6)
})

test('codes outside the configured list do not list', async () => {
  listings.set('34.216.184.93.zen.blk', { addresses: ['127.0.0.10'] })
  assert.equal(await reasonFor(await start()), 'connect')
})

test('errors allow by default and refuse when closed: error codes, hijacked answers, SERVFAIL, REFUSED', async () => {
  for (const answer of [{ addresses: ['127.255.255.254'] }, { addresses: ['93.184.216.34'] }, 'servfail', 'refused'] as const) {
    listings.set('34.216.184.93.zen.blk', answer)
    assert.equal(await reasonFor(await start()), 'connect')
    assert.deepEqual(counted, ['zen.blk error'])
    const before = dials.hosts.length
    assert.equal(await reasonFor(await start({ dnsblFail: 'closed' })), 'blocklist_unavailable')
    assert.equal(dials.hosts.length, before)
  }
})

test('a silent zone costs the budget once, not every attempt', async () => {
  const clock = manualClock()
  const outbound = await start({}, clock)
  listings.set('34.216.184.93.zen.blk', 'silent')
  const verdict = reasonFor(outbound)
  while (!dns.asked.some((question) => question.includes('zen.blk'))) await clock.advance(0)
  while (clock.nextDue() !== clock.now() + 1_500) await clock.advance(0)
  await clock.advance(1_500)
  assert.equal(await verdict, 'connect')
  assert.deepEqual(counted, ['zen.blk error'])
})

test('a zone that lists everybody fails its probe and is left out until it passes one', async () => {
  const clock = manualClock()
  listings.set('1.0.0.127.zen.blk', { addresses: ['127.0.0.2'] })
  listings.set('34.216.184.93.zen.blk', { addresses: ['127.0.0.2'] })
  const outbound = await start({}, clock)
  assert.deepEqual(await outbound.blocklist.probe(), ['zen.blk'])
  assert.equal(await reasonFor(outbound), 'connect')
  assert.equal(await reasonFor(await start({ dnsblFail: 'closed' })), 'blocklist_unavailable')
  listings.delete('1.0.0.127.zen.blk')
  await outbound.blocklist.probe()
  assert.equal(await reasonFor(outbound), 'blocked_destination')
})

test('three failed queries in a row take a zone out for a minute', async () => {
  const clock = manualClock()
  const outbound = await start({ dnsblFail: 'closed', dnsblZones: ['ip:zen.blk'] }, clock)
  for (const last of [1, 2, 3]) {
    listings.set(`${last}.1.1.1.zen.blk`, 'servfail')
    assert.equal(await reasonFor(outbound, `https://1.1.1.${last}/`), 'blocklist_unavailable')
  }
  const asked = dns.asked.length
  assert.equal(await reasonFor(outbound, 'https://1.1.1.4/'), 'blocklist_unavailable')
  assert.equal(dns.asked.length, asked)
  clock.set(clock.now() + 60_000)
  assert.equal(await reasonFor(outbound, 'https://1.1.1.4/'), 'connect')
})

test('the local list refuses, allowed ranges included, and is read again after a change', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'rostrum-list-')), 'list')
  writeFileSync(path, 'shop.org\n127.0.0.0/8\n')
  const clock = manualClock()
  const outbound = await start({ dnsblZones: [], dnsblList: path, egressAllow: ['127.0.0.0/8'] }, clock)
  assert.equal(await reasonFor(outbound), 'blocked_destination')
  assert.equal(await reasonFor(outbound, 'http://127.0.0.1:9/'), 'blocked_destination')
  assert.deepEqual(dials.hosts, [])
  writeFileSync(path, '# nothing\n')
  utimesSync(path, 1, 1)
  clock.set(clock.now() + 60_000)
  assert.equal(await reasonFor(outbound), 'connect')
  await assert.rejects(start({ dnsblList: '/nonexistent/list' }))
})

test('zones are read with their codes, and a bad one is named', () => {
  const { zones, problems } = parseZones([
    'domain:dbl.example.net=127.0.1.2-127.0.1.6',
    'ip:zen.example.net=127.0.0.2-127.0.0.4,127.0.0.9',
    'ip:any.example.net',
    'url:x.y',
    'ip:zen.example.net=8',
    'ip:z',
  ])
  assert.deepEqual(
    zones.map(({ kind, zone, codes }) => [kind, zone, codes?.length]),
    [
      ['domain', 'dbl.example.net', 1],
      ['ip', 'zen.example.net', 2],
      ['ip', 'any.example.net', undefined],
    ],
  )
  assert.equal(problems.length, 3)
})

test('a host is asked with its parents down to two labels, in at most five questions', () => {
  assert.deepEqual(domainQuestions('a.b.good.org'), ['a.b.good.org', 'b.good.org', 'good.org'])
  assert.deepEqual(domainQuestions('good.org'), ['good.org'])
  const deep = domainQuestions('1.2.3.4.5.6.good.org')
  assert.equal(deep.length, 5)
  assert.ok(deep.includes('1.2.3.4.5.6.good.org') && deep.includes('good.org'))
})

test('addresses are asked reversed (RFC 5782)', () => {
  assert.equal(addressQuestion('192.0.2.99'), '99.2.0.192')
  assert.equal(addressQuestion('2001:db8:1:2:3:4:567:89ab'), 'b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2')
})

test('only the configured codes list; error codes and hijacked answers never do', () => {
  const { zones } = parseZones(['ip:zen.example.net=127.0.0.2-127.0.0.4', 'domain:dbl.example.net', 'ip:any.example.net'])
  const [zen, dbl, any] = zones
  assert.ok(zen && dbl && any)
  assert.equal(readAnswer(zen, ['127.0.0.3']), 'listed')
  assert.equal(readAnswer(zen, ['127.0.0.10']), 'clear')
  assert.equal(readAnswer(zen, ['127.0.0.10', '127.0.0.2']), 'listed')
  assert.equal(readAnswer(zen, []), 'clear')
  assert.equal(readAnswer(any, ['127.0.0.200']), 'listed')
  for (const answer of ['127.255.255.252', '127.255.255.254', '93.184.216.34', '10.0.0.1', 'nonsense']) {
    assert.equal(readAnswer(any, [answer]), 'error', answer)
  }
  assert.equal(readAnswer(dbl, ['127.0.1.255']), 'error')
  assert.equal(readAnswer(dbl, ['127.0.1.2']), 'listed')
})

test('the local list matches subdomains and ranges, and reports lines it cannot read', () => {
  const list = parseLocalList('# mine\nbad.org\n10.0.0.0/8 # net\n2001:db8::/32\nnot a name\n\nEvil.COM.\n')
  assert.deepEqual(list.badLines, [5])
  assert.ok(isOnLocalList(list, 'bad.org', []))
  assert.ok(isOnLocalList(list, 'a.b.bad.org', []))
  assert.ok(isOnLocalList(list, 'evil.com', []))
  assert.ok(isOnLocalList(list, 'good.org', ['10.1.1.1']))
  assert.ok(isOnLocalList(list, 'good.org', ['::ffff:10.1.1.1']))
  assert.ok(!isOnLocalList(list, 'notbad.org', ['11.0.0.1']))
})
