import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOnLocalList, parseLocalList } from './blocklist.ts'
import { addressQuestion, domainQuestions, parseZones, readAnswer } from './blocklist-zones.ts'

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
