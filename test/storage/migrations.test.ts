// Migrations on both stores: each file once, never a changed one, never under a newer store.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate, type Migration, readMigrations, translate } from '../../server/platform/db/migrations.ts'
import { sqliteTarget } from '../../server/platform/db/sqlite.ts'
import { StartupError } from '../../server/platform/db/store.ts'
import { eachStore } from '../support/stores.ts'

const first: Migration = { number: 1, name: '001-first', sql: 'CREATE TABLE a (\n  id {id} PRIMARY KEY\n);', hash: 'h1' }
const second: Migration = {
  number: 2,
  name: '002-second',
  sql: 'CREATE TABLE b (\n  n {int} NOT NULL,\n  t {text},\n  x {blob}\n);',
  hash: 'h2',
}

const upward = { migrates: true }

test('each file runs once, in order', async () => {
  const target = sqliteTarget(new DatabaseSync(':memory:'))
  assert.deepEqual(await migrate(target, upward, [first]), ['001-first'])
  assert.deepEqual(await migrate(target, upward, [first, second]), ['002-second'])
  assert.deepEqual(await migrate(target, upward, [first, second]), [])
})

test('a changed file stops the start in words', async () => {
  const target = sqliteTarget(new DatabaseSync(':memory:'))
  await migrate(target, upward, [first])
  await assert.rejects(
    migrate(target, upward, [{ ...first, hash: 'other' }]),
    (error) => error instanceof StartupError && /001-first/.test(error.message),
  )
})

test('a store of a newer version stops the start in words', async () => {
  const target = sqliteTarget(new DatabaseSync(':memory:'))
  await migrate(target, upward, [first, second])
  await assert.rejects(
    migrate(target, upward, [first]),
    (error) => error instanceof StartupError && /newer version.*002-second/.test(error.message),
  )
})

test('an empty store is set up by anybody, an older one is refused in words and left as it is', async () => {
  const target = sqliteTarget(new DatabaseSync(':memory:'))
  assert.deepEqual(await migrate(target, { migrates: false }, [first]), ['001-first'])
  await assert.rejects(
    migrate(target, { migrates: false }, [first, second]),
    (error) => error instanceof StartupError && /older version.*`rostrum migrate`/.test(error.message),
  )
  assert.deepEqual(await migrate(target, { migrates: false }, [first]), [])
})

test('a file that fails leaves nothing of itself', async () => {
  const db = new DatabaseSync(':memory:')
  const broken = { ...second, sql: `${second.sql}\nCREATE TABLE a (\n  id {id}\n);` }
  // An empty store is set up as a whole.
  await assert.rejects(migrate(sqliteTarget(db), upward, [first, broken]), /already exists/)
  assert.deepEqual(await migrate(sqliteTarget(db), upward, [first]), ['001-first'])
  await assert.rejects(migrate(sqliteTarget(db), upward, [first, broken]), /already exists/)
  assert.deepEqual(await migrate(sqliteTarget(db), upward, [first, second]), ['002-second'])
})

test('type words become types, and an unknown word is an error', () => {
  assert.equal(translate(second.sql, 'sqlite'), 'CREATE TABLE b (\n  n INTEGER NOT NULL,\n  t TEXT,\n  x BLOB\n) STRICT;')
  assert.equal(translate(second.sql, 'postgres'), 'CREATE TABLE b (\n  n BIGINT NOT NULL,\n  t TEXT,\n  x BYTEA\n);')
  assert.throws(() => translate('{uuid}', 'sqlite'), /\{uuid\}/)
})

test('a file that has run somewhere is never edited: what changes comes as a file with the next number', () => {
  const hashes = {
    '001-initial': '99dedeb643b2fa0041cca0d64871818b1584caa9fe0b2ac9fc1ebf2e78a2e69a',
    '002-guests-and-views': 'af9ede7f8d5784ee5918fd5a44b25dde1cc23cdcf7dbf18d158c7f286d45eb76',
    '003-recordings': '357c8ade302926bd71b796143e2ce7d6f11b183e9c0151e06f7813cc9a89475f',
    '004-brand': '2555650b1cb069d453698080edbf40a086f788a452691f47ac881aeb3f02026f',
    '005-webhook-formats': 'f19d52da94e5707c6b699391cb35be6d62c42de7ce70c86f93466cbf23cd1682',
    '006-registrants': 'f033a1096dfd1a339bd35345154f4d88ebcf30d89635bfd2849f426ca0fc1c6d',
    '007-translations': '810a718d609f731aaf35369419b9586b6ae2413f899f26b5434e8a33f7688130',
    '008-replays': '6df22dd6ab5bf1faa5d230bf9fd1d486d595e975784f2bf1bac051f7d098ed63',
    '009-utm': '6671808d9bfd4455b0a937c415424cafddda600564e789176995aa4c5bfa939f',
    '010-translations-checked': '415213bc943166602ba54e27068e3a5fd6d8813f4a788aa683d390b72cbc7c87',
    '011-blobs-by-offset': '847412f94a6390563172d9e9d528ffc7ab9de3e1055a3655ad710c2522ebf4ee',
    '012-turns': '2a2e9aef6f5e1721428031e1d0b5c04e1858b4b1eb1f59df93ade6b04b91000a',
    '013-ended-mails': 'a6f279c8a9c63c6a0160bc9f026c028c9e7bbabc754e2c4c371db76cd63c9317',
    '014-seconds-heard': 'a27a3800545aa8600fbc858ed118b30d9dfab4c66b952a85929a6228944c8795',
    '015-sealed-sample': 'ec93843a223ec364f587ee94d07e071e52fc5cf1853d3d2c426d2bbada27559c',
  }
  assert.deepEqual(Object.fromEntries(readMigrations().map(({ name, hash }) => [name, hash])), hashes)
})

test('processes of the version before go on while a cluster is upgraded: a file adds, and what it adds may be left out', () => {
  for (const { name, sql: text } of readMigrations().slice(1))
    for (const statement of text.replaceAll(/^ *--.*$/gm, '').split(';')) {
      const words = statement.trim()
      assert.match(words, /^(CREATE (TABLE|INDEX|UNIQUE INDEX)|ALTER TABLE \w+ ADD COLUMN|$)/, name)
      if (words.startsWith('ALTER')) assert.equal(/NOT NULL/.test(words), /DEFAULT/.test(words), `${name}: ${words}`)
    }
})

test('no two files have the same number', () => {
  const numbers = readMigrations().map((migration) => migration.number)
  assert.ok(numbers.every((number) => number > 0))
  assert.equal(new Set(numbers).size, numbers.length)
})

eachStore((name, open) => {
  test('stores that open together on the same data migrate it once', async () => {
    const { store, another } = await open()
    await Promise.all([another(), another(), another()])
    const { rows } = await sql<{ n: number }>`SELECT COUNT(*) AS n FROM migrations`.execute(store.read)
    assert.deepEqual(rows, [{ n: readMigrations().length }])
  })

  if (name === 'sqlite') {
    test('every table is strict', async () => {
      const { store } = await open()
      const { rows } = await sql<{ name: string }>`SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0`.execute(
        store.read,
      )
      assert.deepEqual(rows, [{ name: 'sqlite_schema' }])
    })
  }
})
