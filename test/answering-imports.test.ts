// Answering cannot say what it cannot reach (Spec 2.3): from retrieval, answers, the room, the Personal Agent Protocol and MCP no
// chain of imports leads to the column of the private notes or to the code that reads it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { importsOf, root } from './support/imports.ts'

const answering = ['packages/answers', 'packages/stage', 'server/models', 'server/runs', 'server/pap', 'server/mcp']
/** Puts a script into words ahead of the talk, for its owner, notes included where they say so; a path from the rest to it fails too. */
const aheadOfTheTalk = 'server/runs/script-writer.ts'

/** Files that name the notes and hold none: their longest length, and words for those who write a deck. */
const namesAlone = new Set(['packages/contract/fields.ts', 'server/mcp/catalogue.ts', 'server/mcp/resources.ts'])

/** Imports that remain when types are stripped: what a running module can call. */
const reachedFrom = (file: string): string[] =>
  importsOf(file).flatMap(({ to, isType }) => (!isType && /^(?:packages|server)\/.*\.ts$/.test(to) ? [to] : []))

function pathsTo(start: string): Map<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>([[start, [start]]])
  for (const [file, path] of paths) for (const next of reachedFrom(file)) if (!paths.has(next)) paths.set(next, [...path, next])
  return paths
}

/** Comments may speak of the notes; code may not. */
function namesNotes(file: string): boolean {
  const code = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  return /agent_notes|agentNotes|slidesWithNotes/.test(code)
}

for (const folder of answering) {
  test(`${folder} has no import path to the private notes`, () => {
    const files = globSync(`${folder}/**/*.ts`, { cwd: root }).filter(
      (file) => !file.endsWith('.test.ts') && !file.startsWith(aheadOfTheTalk),
    )
    assert.ok(files.length > 0)
    const leaks = files.flatMap((file) =>
      [...pathsTo(file)].filter(([to]) => !namesAlone.has(to) && namesNotes(to)).map(([, path]) => path.join(' -> ')),
    )
    assert.deepEqual([...new Set(leaks)], [])
  })
}
