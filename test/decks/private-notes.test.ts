// Private notes have few readers, and their files are named here (Spec 2.3). Retrieval, answering, the room and every tool
// start from types without them.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** Every file that may name the notes, and why. */
const readers: Readonly<Record<string, string>> = {
  'src/contract/fields.ts': 'their bound',
  'src/contract/new-content.ts': 'taken at creation',
  'src/sessions/tables.ts': 'the column',
  'src/sessions/deck/new-slide.ts': 'cut to their bounds, written, copied into the narration where their owner says so',
  'src/sessions/deck/deck-rows.ts': 'copied from version to version',
  'src/sessions/deck/create-content.ts': 'copied with a session',
  'src/sessions/deck/operations/change-deck.ts': 'copied with a change, changed and said where the owner says so',
  'src/sessions/script/replace-script.ts': 'copied with a change of the script',
  'src/sessions/script/propose-script.ts': 'left out of what a model is sent',
  'src/sessions/deck/operations/get-deck.ts': 'shown to the owner',
  'src/sessions/deck/ingest/read-deck.ts': 'read from documents',
  'src/sessions/deck/render/protocol.ts': 'named in a comment',
  'src/sessions/script/scripts.ts': 'given to the compiler',
  'src/sessions/script/beat-edits.ts': 'part of the digest that says whether a slide changed',
  'src/sessions/deck/content.ts': 'says that its types have none',
  'src/sessions/create-session.ts': 'words of the tool that takes them',
  'src/runs/script-writer.ts': 'told to the model that puts the script into words ahead of the talk, when the owner asks for it',
  'src/leak-check.ts': 'compared with what a rehearsal said',
  'src/sessions/list-sessions.ts': 'words of the tool that does not show them',
}
/** The compiler, and words for people about the notes. */
const alsoMay = [/^src\/sessions\/script\/compile\//, /^src\/sessions\/deck\/welcome\.ts$/, /^src\/docs\//, /^src\/mcp\//]

test('nobody else names the private notes', () => {
  const named = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts') && /agent_notes|agentNotes|slidesWithNotes/.test(readFileSync(join(root, file), 'utf8')),
  )
  const unknown = named.filter((file) => readers[file] === undefined && !alsoMay.some((pattern) => pattern.test(file)))
  assert.deepEqual(unknown, [])
})

test('what the room and retrieval read has no place for them', () => {
  for (const file of ['src/sessions/deck/content.ts', 'src/sessions/deck/blobs/blobs.ts']) {
    assert.doesNotMatch(readFileSync(join(root, file), 'utf8'), /agent_notes|agentNotes:|slidesWithNotes/, file)
  }
})
