// The official conformance suites against the referee's own tools behind our transport: every scenario that each revision
// requires, without an expected failure.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { expectedWarnings, olderSuite, requiredLists } from './fixture-lists.ts'
import type { Fixture } from './fixture/mounted.ts'
import { openFixture } from './fixture/mounted.ts'
import type { Findings } from './referee.ts'
import { olderReferee, referee } from './referee.ts'

let fixture: Fixture
before(async () => {
  fixture = await openFixture()
})
after(() => fixture.close())

const warningsOf = (found: Findings): string[] =>
  [...found.values()].flatMap((checks) => checks.filter(({ status }) => status === 'WARNING').map(({ id }) => id))

/** Failures and unexpected warnings among `scenarios`, in words; one that was not run is a failure. */
function faults(found: Findings, scenarios: readonly string[]): string[] {
  return scenarios.flatMap((scenario) => {
    const checks = found.get(scenario)
    if (checks === undefined || checks.length === 0) return [`${scenario} was not run`]
    return checks
      .filter(({ id, status }) => status === 'FAILURE' || (status === 'WARNING' && !expectedWarnings.includes(id)))
      .map(({ id, status, errorMessage }) => `${scenario}: ${id} ${status} ${errorMessage ?? ''}`)
  })
}

test('the frozen sets have the size that their revisions score', () => {
  assert.deepEqual([requiredLists['2026-07-28'].scored.length, requiredLists['2025-11-25'].scored.length], [37, 30])
})

for (const [revision, { scored, unscored }] of Object.entries(requiredLists)) {
  test(`every scenario that ${revision} requires passes, and those that it only reports`, async () => {
    const found = await referee(fixture.url, revision)
    assert.deepEqual(faults(found, [...scored, ...unscored]), [])
    const wire = [...found].flatMap(([scenario, checks]) =>
      checks.filter(({ id, status }) => id === 'wire-schema-valid' && status === 'FAILURE').map(() => scenario),
    )
    assert.deepEqual(wire, [])
    if (revision === '2025-11-25') assert.deepEqual(warningsOf(found).toSorted(), expectedWarnings, 'an expected warning is stale')
  })
}

test('the active suite of the older referee passes', async () => {
  const found = await olderReferee(fixture.url)
  assert.deepEqual([...found.keys()].toSorted(), olderSuite.toSorted())
  assert.deepEqual(faults(found, olderSuite), [])
})
