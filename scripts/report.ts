// A reporter of Node's test runner: failures in full on standard error, and one JSON line of counts that suites.ts reads. Each file says
// at its end how many tests it ran: reports that did not arrive are a failure, so that no run passes by losing tests.
import { relative, resolve } from 'node:path'
import { inspect } from 'node:util'
import type { TestEvent } from 'node:test/reporters'

/** Of one file; `ended`: it said how it ended. */
export interface Tally {
  passed: number
  failed: number
  ended: boolean
}

/** What suites.ts reads: each file by its whole path, and '' where all files share one process. */
export type Counts = Record<string, Tally>

/** Failures of a group or a file repeat those inside it. */
const derived = new Set(['subtestsFailed', 'testAborted'])

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: Counts = {}
  const of = (file = '') => (counts[file] ??= { passed: 0, failed: 0, ended: false })
  /** Reports that came, by the file that was run; by none where all files run in one process. */
  const came = new Map<string | undefined, number>()
  for await (const event of source) {
    if ((event.type === 'test:pass' || event.type === 'test:fail') && event.data.details.type !== 'suite')
      came.set(event.data.entryFile, (came.get(event.data.entryFile) ?? 0) + 1)
    if (event.type === 'test:pass' && event.data.details.type !== 'suite' && event.data.skip === undefined && event.data.todo === undefined)
      of(event.data.entryFile).passed++
    if (event.type === 'test:fail') {
      const { error, type } = event.data.details
      if (type === 'suite' || derived.has(String(Reflect.get(error, 'failureType')))) continue
      const { entryFile } = event.data
      // The process of a file ended badly: its name stands for it.
      const tally = of(entryFile ?? resolve(event.data.name))
      tally.failed++
      tally.ended ||= entryFile === undefined
      const place = `${event.data.file ?? ''}:${event.data.line ?? 0}`
      yield `\nFAILED  ${event.data.name}\n        ${place}\n${inspect(error.cause ?? error).replace(/^/gm, '        ')}\n`
    }
    if (event.type === 'test:summary') {
      const { file, counts: told } = event.data
      // The sum over files that had processes of their own is reckoned here, by the runner, from what came.
      if (file === undefined && [...came.keys()].some((key) => key !== undefined)) continue
      const arrived = came.get(file) ?? 0
      of(file).ended = true
      if (arrived === told.tests) continue
      of(file).failed++
      yield `\nFAILED  ${file === undefined ? 'the suite' : relative('', file)} ran ${told.tests} tests, and ${arrived} reports came\n`
    }
    // An error that nobody caught fails its file, which does not say why.
    if (event.type === 'test:diagnostic' && event.data.message.startsWith('Error: '))
      yield `\nFAILED  ${relative('', event.data.file ?? '')}: ${event.data.message}\n`
    if (event.type === 'test:stderr' && process.env['ROSTRUM_TEST_NOISE'] !== undefined) yield event.data.message
  }
  yield `\n@counts ${JSON.stringify(counts)}\n`
}
