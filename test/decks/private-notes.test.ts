// Private notes have few readers, and their files are named here (Spec 2.3). Retrieval, answering, the room and every tool
// start from types without them.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** Every file that may name the notes, and why. */
const readers: Readonly<Record<string, string>> = {
  'packages/contract/fields.ts': 'their bound',
  'packages/contract/new-content.ts': 'taken at creation',
  'server/decks/tables.ts': 'the column',
  'server/decks/new-slide.ts': 'cut to their bounds, written, copied into the narration where their owner says so',
  'server/decks/deck-rows.ts': 'copied from version to version',
  'server/decks/create-content.ts': 'copied with a session',
  'server/decks/operations/change-deck.ts': 'copied with a change, changed and said where the owner says so',
  'server/decks/revise-deck.ts': 'copied with a change',
  'server/scripts/replace-script.ts': 'copied with a change of the script',
  'server/scripts/propose-script.ts': 'left out of what a model is sent',
  'server/decks/operations/get-deck.ts': 'shown to the owner',
  'server/decks/ingest/read-deck.ts': 'read from documents',
  'packages/deck/protocol.ts': 'named in a comment',
  'server/scripts/scripts.ts': 'given to the compiler',
  'server/scripts/beat-edits.ts': 'part of the digest that says whether a slide changed',
  'server/cli/files.ts': 'of a file of whoever reads it: given to the compiler, and shown to them alone',
  'server/decks/content.ts': 'says that its types have none',
  'packages/contract/content.ts': 'says that its types have none',
  'server/hosting/create-session.ts': 'words of the tool that takes them',
  'server/runs/script-writer.ts': 'told to the model that puts the script into words ahead of the talk, when the owner asks for it',
  'server/leak-check.ts': 'compared with what a rehearsal said',
  'server/hosting/list-sessions.ts': 'words of the tool that does not show them',
}
/** The compiler, and words for people about the notes. */
const alsoMay = [/^packages\/telling\//, /^server\/decks\/welcome\.ts$/, /^server\/docs\//, /^server\/mcp\//]

test('nobody else names the private notes', () => {
  const named = globSync('{server,packages}/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] }).filter(
    (file) => !file.endsWith('.test.ts') && /agent_notes|agentNotes|slidesWithNotes/.test(readFileSync(join(root, file), 'utf8')),
  )
  const unknown = named.filter((file) => readers[file] === undefined && !alsoMay.some((pattern) => pattern.test(file)))
  assert.deepEqual(unknown, [])
})

test('what the room and retrieval read has no place for them', () => {
  for (const file of ['server/decks/content.ts', 'server/decks/slide-images.ts', 'server/platform/blobs/blobs.ts']) {
    assert.doesNotMatch(readFileSync(join(root, file), 'utf8'), /agent_notes|agentNotes:|slidesWithNotes/, file)
  }
})
