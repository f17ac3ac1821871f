import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { networkOf, networkSteps } from './networks.ts'

const addressUnit = (address: string) => networkSteps(address)[0].network

test('limits count by IPv4 address and by the /64 of IPv6', () => {
  assert.equal(addressUnit('203.0.113.7'), '203.0.113.7')
  assert.equal(addressUnit('::ffff:203.0.113.7'), '203.0.113.7')
  assert.equal(addressUnit('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(addressUnit('2001:DB8:1:2::9'), '2001:db8:1:2::/64')
  assert.equal(addressUnit('fe80::1%eth0'), 'fe80:0:0:0::/64')
  assert.equal(addressUnit('64:ff9b::203.0.113.7'), '64:ff9b:0:0::/64')
})

test('records keep the coarse network alone', () => {
  assert.equal(networkOf('203.0.113.7'), '203.0.113.0/24')
  assert.equal(networkOf('2001:db8:1:2::9'), '2001:db8:1::/48')
  assert.equal(networkOf('::1'), '0:0:0::/48')
})

test('no address, however odd, makes it throw', () => {
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (text) => void [addressUnit(text), networkOf(text)]))
  assert.equal(addressUnit('not an address'), 'unknown')
})

test('an address counts in ever wider networks, each with a larger allowance than the one within it', () => {
  const told = (address: string) => networkSteps(address).map(({ network, times }) => `${network} x${times}`)
  assert.deepEqual(told('203.0.113.7'), ['203.0.113.7 x1', '203.0.113.0/24 x4'])
  assert.deepEqual(told('2001:db8:1:2345::9'), ['2001:db8:1:2345::/64 x1', '2001:db8:1:2300::/56 x2', '2001:db8:1::/48 x4'])
  assert.deepEqual(told('::1'), ['0:0:0:0::/64 x1', '0:0:0:0::/56 x2', '0:0:0::/48 x4'])
  assert.deepEqual(told('nowhere'), ['unknown x1'])
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      const times = networkSteps(address).map((step) => step.times)
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      )
      assert.equal(new Set(times).size, times.length)
    }),
  )
})
