// The guard from URL to socket, against a local DNS server and local receivers. No packet leaves the machine.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { type Dials, watchDials } from '../../../test/support/dials.ts'
import { type DnsAnswer, type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts'
import { loopbackConfig, outboundConfig, startReceiver } from '../../../test/support/outbound.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { systemClock } from '@rostrum/base/clock'
import { createOutbound, type Outbound, type OutboundConfig } from './outbound.ts'

const answers = new Map<string, DnsAnswer | (() => DnsAnswer)>()
let dns: DnsServer
before(async () => {
  dns = await startDnsServer((name, type) => {
    const answer = answers.get(`${type} ${name}`) ?? answers.get(name) ?? 'nxdomain'
    return typeof answer === 'function' ? answer() : answer
  })
})
after(() => dns.close())

let dials: Dials
const open: Outbound[] = []
beforeEach(() => {
  answers.clear()
  dns.asked.length = 0
  dials = watchDials()
})
afterEach(async () => {
  dials.restore()
  await Promise.all(open.splice(0).map((outbound) => outbound.close()))
})

function client(config: OutboundConfig, hosts = ''): Outbound {
  const outbound = createOutbound(config, { clock: systemClock, userAgent: 'Rostrum-Test', hosts })
  open.push(outbound)
  return outbound
}
const strict = (overrides: Partial<OutboundConfig> = {}) => client(outboundConfig({ dnsServers: [dns.address], ...overrides }))
const local = (overrides: Partial<OutboundConfig> = {}) => client(loopbackConfig(dns.address, overrides))
const limits = { maxBytes: 1_000, timeoutMs: patienceMs }

test('a refused URL is neither resolved nor dialled', async () => {
  const outbound = strict()
  for (const url of [
    'https://127.0.0.1/',
    'https://localhost/',
    'https://db/',
    'http://good.org/',
    'https://[::1]/',
    'https://good.org:22/',
    'nonsense',
  ]) {
    const outcome = await outbound.request({ url, ...limits })
    assert.equal(outcome.ok ? '' : outcome.reason, 'blocked_destination', url)
  }
  assert.deepEqual(dns.asked, [])
  assert.deepEqual(dials.hosts, [])
})

test('a name that resolves to a refused address is not dialled, whatever the form of the answer', async () => {
  const outbound = strict()
  answers.set('private.org', { addresses: ['10.0.0.1'] })
  answers.set('mixed.org', { addresses: ['93.184.216.34', '169.254.169.254'] })
  answers.set('families.org', { addresses: ['93.184.216.34', 'fd00::1'] })
  answers.set('alias.org', { addresses: ['127.0.0.1'], cname: 'inner.good.org' })
  answers.set('mapped.org', { addresses: ['::ffff:127.0.0.1'] })
  answers.set('A onefamily.org', 'servfail')
  answers.set('AAAA onefamily.org', { addresses: ['::1'] })
  answers.set('many.org', { addresses: Array.from({ length: 17 }, (_, i) => `93.184.216.${i + 1}`) })
  for (const name of ['private.org', 'mixed.org', 'families.org', 'alias.org', 'mapped.org', 'onefamily.org', 'many.org']) {
    const outcome = await outbound.request({ url: `https://${name}/`, ...limits })
    assert.equal(outcome.ok ? '' : outcome.reason, 'blocked_destination', name)
  }
  assert.deepEqual(dials.hosts, [])
})

test('rebinding between two attempts is caught at the second', async () => {
  const outbound = strict()
  let answered = 0
  answers.set('A rebind.org', () => ({ addresses: [answered++ === 0 ? '93.184.216.34' : '127.0.0.1'], ttl: 0 }))
  answers.set('AAAA rebind.org', { addresses: [] })
  const first = await outbound.request({ url: 'https://rebind.org/', ...limits })
  assert.equal(first.ok ? '' : first.reason, 'connect')
  assert.deepEqual(dials.hosts, ['93.184.216.34'])
  const second = await outbound.request({ url: 'https://rebind.org/', ...limits })
  assert.equal(second.ok ? '' : second.reason, 'blocked_destination')
  assert.deepEqual(dials.hosts, ['93.184.216.34'])
})

test('the vetted address is dialled and the name is resolved once per attempt', async () => {
  const outbound = strict()
  answers.set('A public.org', { addresses: ['93.184.216.34', '93.184.216.35'], ttl: 0 })
  answers.set('AAAA public.org', { addresses: ['2606:4700::1'], ttl: 0 })
  const outcome = await outbound.request({ url: 'https://public.org/', ...limits })
  assert.equal(outcome.ok ? '' : outcome.reason, 'connect')
  assert.deepEqual(dials.hosts, ['93.184.216.34', '93.184.216.35', '2606:4700::1'])
  assert.deepEqual(dns.asked.toSorted(), ['A public.org', 'AAAA public.org'])
})

test('one family may fail; both failing is `dns`, and submission lets that pass', async () => {
  const outbound = strict()
  answers.set('A half.org', { addresses: ['93.184.216.34'] })
  answers.set('AAAA half.org', 'servfail')
  answers.set('none.org', 'servfail')
  assert.deepEqual(await outbound.vet('https://half.org/'), { ok: true })
  const outcome = await outbound.request({ url: 'https://none.org/', ...limits })
  assert.equal(outcome.ok ? '' : outcome.reason, 'dns')
  assert.deepEqual(await outbound.vet('https://none.org/'), { ok: true })
  assert.deepEqual(await outbound.vet('https://missing.org/'), { ok: true })
  assert.equal((await outbound.vet('https://10.0.0.1/')).ok, false)
  assert.deepEqual(dials.hosts, [])
})

test('a hundred attempts at once ask for a name once, and later ones use the cache', async () => {
  const outbound = strict()
  answers.set('busy.org', { addresses: ['10.0.0.1'], ttl: 30 })
  await Promise.all(Array.from({ length: 100 }, () => outbound.request({ url: 'https://busy.org/', ...limits })))
  await outbound.request({ url: 'https://busy.org/', ...limits })
  assert.equal(dns.asked.length, 2)
})

test('the allow list opens the loopback address, for names too', async () => {
  const receiver = await startReceiver((request, response) => response.end(`${request.headers.host} ${request.url}`))
  answers.set('receiver.test', { addresses: ['127.0.0.1'] })
  const outbound = local()
  const outcome = await outbound.request({ url: `http://receiver.test:${receiver.port}/a?b=c`, ...limits })
  assert.ok(outcome.ok)
  assert.equal(Buffer.from(outcome.body).toString(), `receiver.test:${receiver.port} /a?b=c`)
  assert.equal(outcome.peer, '127.0.0.1')
  await receiver.close()
})

test('headers of the caller replace ours whatever their case, and the address dialled is told', async () => {
  const receiver = await startReceiver((request, response) => response.end(JSON.stringify(request.rawHeaders)))
  answers.set('two.test', { addresses: ['127.0.0.9', '127.0.0.1'] })
  const outcome = await local().request({
    url: `http://two.test:${receiver.port}/`,
    ...limits,
    headers: { 'User-Agent': 'Mine', 'X-Id': '1' },
  })
  assert.ok(outcome.ok)
  const names = (JSON.parse(Buffer.from(outcome.body).toString()) as string[]).map((each) => each.toLowerCase())
  assert.equal(names.filter((name) => name === 'user-agent').length, 1)
  assert.ok(names.includes('mine'))
  assert.equal(outcome.peer, '127.0.0.1')
  await receiver.close()
})

test('the hosts file counts only inside the allow list', async () => {
  const receiver = await startReceiver((_, response) => response.end('hello'))
  const outbound = client(loopbackConfig(dns.address), '127.0.0.1 inside.example.org\n10.0.0.1 outside.example.org\n')
  const inside = await outbound.request({ url: `http://inside.example.org:${receiver.port}/`, ...limits })
  assert.ok(inside.ok)
  const outside = await outbound.request({ url: 'https://outside.example.org/', ...limits })
  assert.equal(outside.ok ? '' : outside.reason, 'dns')
  await receiver.close()
})

test('a redirect is handed back unless asked for, and each hop is judged like the first', async () => {
  const receiver = await startReceiver((request, response) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to')
    if (to === null) response.end('arrived')
    else response.writeHead(302, { location: to }).end()
  })
  const outbound = local()
  const start = (to: string) => `${receiver.url}/?to=${encodeURIComponent(to)}`
  const kept = await outbound.request({ url: start('/'), ...limits })
  assert.ok(kept.ok && kept.status === 302)
  const followed = await outbound.request({ url: start('/?to=%2F%3Fend%3D1'), ...limits, redirects: 3 })
  assert.ok(followed.ok && followed.status === 200)
  assert.equal(followed.url, `${receiver.url}/?end=1`)
  const before = dials.hosts.length
  for (const target of [
    'https://169.254.169.254/',
    'http://10.0.0.1/',
    'file:///etc/passwd',
    'https://user@good.org/',
    '//[::1]/',
    'http://localhost.',
  ]) {
    const outcome = await outbound.request({ url: start(target), ...limits, redirects: 3 })
    assert.equal(outcome.ok ? `followed ${target}` : outcome.reason, target.includes('localhost') ? 'connect' : 'blocked_destination')
  }
  assert.deepEqual(
    dials.hosts.slice(before).filter((host) => !host.startsWith('127.')),
    [],
  )
  const loop = await outbound.request({ url: start(start(start(start(start('/'))))), ...limits, redirects: 9 })
  assert.equal(loop.ok ? '' : loop.reason, 'redirect')
  const post = await outbound.request({ method: 'POST', url: start('/'), ...limits, redirects: 3, body: 'x' })
  assert.ok(post.ok && post.status === 302)
  await receiver.close()
})

test('connections are kept for the next request to the same vetted addresses', async () => {
  const receiver = await startReceiver((_, response) => response.end('ok'))
  const outbound = local()
  for (let i = 0; i < 5; i++) assert.ok((await outbound.request({ url: receiver.url, ...limits })).ok)
  // A request sent in the very tick in which another ended finds its connection still busy: two, never five.
  assert.ok(dials.hosts.length <= 2)
  await receiver.close()
})

test('the own origin is never requested, though the allow list would permit it', async () => {
  const receiver = await startReceiver((_, response) => response.end('ok'))
  const outbound = local({ baseUrl: receiver.url })
  const outcome = await outbound.request({ url: `${receiver.url}/api/v1/x`, ...limits })
  assert.equal(outcome.ok ? '' : outcome.reason, 'blocked_destination')
  assert.deepEqual(dials.hosts, [])
  await receiver.close()
})

test('a range or a zone that cannot be read stops the start', () => {
  for (const bad of [
    { egressAllow: ['0.0.0.0/0'] },
    { egressAllow: ['::/0'] },
    { egressAllow: ['x'] },
    { dnsblZones: ['zen'] },
    { dnsblList: '/nonexistent' },
  ]) {
    assert.throws(() => strict(bad), JSON.stringify(bad))
  }
})
