// The audit log speaks in words: every act that the service records has some, and none is left over.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AuditEntry } from '../src/dashboard/account/account-wire.ts'
import { actWords, wordsForAct, wordsForActor, wordsForDetail } from '../src/dashboard/account/audit-words.ts'

const root = join(import.meta.dirname, '../..')

test('every act that is recorded has words', () => {
  const files = globSync(['server/{accounts,agents,webhooks,cli}/**/*.ts', 'server/*.ts'], { cwd: root })
  const recorded = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(?:action: |note\(\w+, |audit\(tx, call, )'([a-z_]+\.[a-z_]+)'/g)].map(
      ([, name]) => name,
    ),
  )
  assert.ok(recorded.length > 20)
  assert.deepEqual(
    [...new Set(recorded)].toSorted((a = '', b = '') => a.localeCompare(b)),
    Object.keys(actWords).toSorted((a, b) => a.localeCompare(b)),
  )
})

test('who and which are named where they are known, and described where they are gone', () => {
  const entry: AuditEntry = {
    id: 'e',
    at: '2026-11-20T12:00:00.000Z',
    action: 'key.rotated',
    actorKind: 'user',
    actorId: 'u1',
    targetKind: 'credential',
    targetId: 'k1',
    network: null,
    requestId: null,
    data: { graceSeconds: 604_800 },
  }
  const names = new Map([
    ['u1', 'Maya'],
    ['k1', 'Key “CI”'],
  ])
  assert.equal(wordsForActor(entry, names), 'Maya')
  assert.equal(wordsForActor(entry, new Map()), 'Somebody who left')
  assert.equal(wordsForDetail(entry, names), 'Key “CI”, the old one works on for 7 days')
  assert.equal(wordsForDetail({ ...entry, data: { graceSeconds: 0 } }, new Map()), 'the old one ended at once')
  assert.equal(wordsForAct('thing.of_tomorrow'), 'thing.of_tomorrow')
})
