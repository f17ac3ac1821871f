// A reporter of Node's test runner: failures in full on standard error, and one JSON line of counts that suites.ts reads.
import { inspect } from 'node:util'
import type { TestEvent } from 'node:test/reporters'

/** Failures of a group or a file repeat those inside it. */
const derived = new Set(['subtestsFailed', 'testAborted'])

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0
  let failed = 0
  for await (const event of source) {
    if (event.type === 'test:pass' && event.data.details.type !== 'suite' && event.data.skip === undefined && event.data.todo === undefined)
      passed++
    if (event.type === 'test:fail') {
      const { error, type } = event.data.details
      if (type === 'suite' || derived.has(String(Reflect.get(error, 'failureType')))) continue
      failed++
      const place = `${event.data.file ?? ''}:${event.data.line ?? 0}`
      yield `\nFAILED  ${event.data.name}\n        ${place}\n${inspect(error.cause ?? error).replace(/^/gm, '        ')}\n`
    }
    if (event.type === 'test:stderr' && process.env['ROSTRUM_TEST_NOISE'] !== undefined) yield event.data.message
  }
  yield `\n@counts ${JSON.stringify({ passed, failed })}\n`
}
