// A reporter of Node's test runner in a process of a suite (scripts/shard.ts): one line for each file as it ends, with its counts and its
// failures in full. Reports that did not arrive are a failure, so that no run passes by losing tests.
import { inspect } from 'node:util'
import type { TestEvent } from 'node:test/reporters'

export interface Tally {
  passed: number
  failed: number
}

/** What the process of a suite says of a file, or of itself (''), to scripts/shards.ts. */
export type Said = { file: string } & (
  | { what: 'loads' | 'begins' }
  /** An error that nobody caught. */
  | { what: 'stray'; words: string }
  /** With words about its failures. */
  | ({ what: 'ended'; words: string } & Tally)
)

export const mark = '@shard '
export const line = (said: Said): string => `\n${mark}${JSON.stringify(said)}\n`

/** What was said in an output. */
export const saidIn = (output: string): Said[] =>
  // `line` wrote it from a value of this type.
  Array.from(output.matchAll(new RegExp(`^${mark}(.*)\n`, 'gm')), ([, words = '']) => JSON.parse(words) as Said)

/** Failures of a group repeat those inside it. */
const derived = 'subtestsFailed'

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let tally = { passed: 0, failed: 0, words: '' }
  let came = 0
  for await (const event of source) {
    if (event.type === 'test:pass' || event.type === 'test:fail') {
      const { name, nesting, details } = event.data
      const isGroup = details.type === 'suite'
      if (!isGroup) came++
      if (event.type === 'test:pass' && !isGroup && event.data.skip === undefined && event.data.todo === undefined) tally.passed++
      if (event.type === 'test:fail') {
        const { error } = event.data.details
        if (Reflect.get(error, 'failureType') !== derived) {
          tally.failed++
          const place = `${event.data.file ?? ''}:${event.data.line ?? 0}`
          tally.words += `\nFAILED  ${name}\n        ${place}\n${inspect(error.cause ?? error).replace(/^/gm, '        ')}\n`
        }
      }
      // The group of a file, by which it is called.
      if (nesting === 0 && isGroup) {
        yield line({ file: name, what: 'ended', ...tally })
        tally = { passed: 0, failed: 0, words: '' }
      }
    }
    // Of the whole process: its own count of tests that are no groups.
    if (event.type === 'test:summary' && came !== event.data.counts.tests) {
      tally.failed++
      tally.words += `\nFAILED  a process ran ${event.data.counts.tests} tests, and ${came} reports came\n`
    }
  }
  yield line({ file: '', what: 'ended', ...tally })
}
