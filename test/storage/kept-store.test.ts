// A store that an early release made, kept as rows (`kept-store.json`: a session, a talk that was given and asked, a lead, a webhook and
// its delivery), is brought along by this version on both stores, and nothing of it is lost.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type Dialect, type Migration, readMigrations, translate } from '../../server/platform/db/migrations.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { manualClock } from '../support/clock.ts'
import { openService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

type Row = Readonly<Record<string, unknown>>
interface Kept {
  /** When it was last written to. */
  at: number
  key: string
  sessionId: string
  slug: string
  entries: number
  tables: Readonly<Record<string, readonly Row[]>>
}
// Our own file.
const kept = JSON.parse(readFileSync(join(import.meta.dirname, 'kept-store.json'), 'utf8')) as Kept
const recorded = kept.tables['migrations'] ?? []

/** The store as that release left it: its tables, made of the files that it ran, and its rows. */
async function putBack(store: Store): Promise<void> {
  const isOf = (migration: Migration) => recorded.some((row) => row['number'] === migration.number)
  const ran = readMigrations().filter(isOf)
  assert.equal(ran.length, recorded.length, 'a file of migrations is gone')
  await store.write(async (tx) => {
    for (const name of await tablesOf(store)) await sql`DROP TABLE ${sql.table(name)}`.execute(tx)
    for (const statement of ran.flatMap((migration) => statementsOf(migration, store.dialect))) await sql.raw(statement).execute(tx)
    await sql
      .raw(
        translate(
          'CREATE TABLE migrations (\n  number {int} PRIMARY KEY,\n  name {text} NOT NULL,\n  hash {text} NOT NULL\n);',
          store.dialect,
        ),
      )
      .execute(tx)
    for (const [name, rows] of Object.entries(kept.tables)) {
      for (const row of rows) {
        const members = Object.entries(row)
        const columns = sql.join(members.map(([column]) => sql.ref(column)))
        await sql`INSERT INTO ${sql.table(name)} (${columns}) VALUES (${sql.join(members.map(([, value]) => bytesOf(value)))})`.execute(tx)
      }
    }
  })
}

async function tablesOf({ dialect, read }: Store): Promise<string[]> {
  const catalog = {
    sqlite: sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    postgres: sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  }
  return (await catalog[dialect].execute(read)).rows.map(({ name }) => name)
}

/** A driver takes one statement at a time; a file holds each until `;` at the end of a line. */
const statementsOf = ({ sql: text }: Migration, dialect: Dialect): string[] =>
  translate(text, dialect)
    .split(/;[ \t]*$/m)
    .filter((statement) => statement.replaceAll(/^--.*$/gm, '').trim() !== '')

const bytesOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && '$blob' in value ? Buffer.from(String(value.$blob), 'base64') : value

eachStore((_, open) => {
  test('a store of an early release is refused by commands, brought along by the service, and holds what it held', async () => {
    const clock = manualClock(kept.at)
    const { store, another } = await open({ clock })
    await putBack(store)
    if (recorded.length < readMigrations().length) await assert.rejects(another({ migrates: false }), /older version.*`rostrum migrate`/)
    const app = await openService({ store: await another({ migrates: true }), clock, isAlone: false })
    try {
      const get = async (path: string) => {
        const { status, body, text } = await app.api('GET', `/api/v1/agent/sessions/${kept.sessionId}${path}`, undefined, kept.key)
        assert.equal(status, 200, text)
        return body
      }
      assert.equal((await get('')).title, 'Grid storage')
      assert.equal((await get('/deck')).slides.length, 2)
      assert.equal((await get('/knowledge')).passages[0].title, 'Warranty')
      const [run] = (await get('/runs')).runs
      assert.equal(run.status, 'completed')
      const { entries } = await get(`/runs/${run.runId}/transcript`)
      assert.equal(entries.length, kept.entries)
      assert.equal((await get('/leads')).leads[0].email, 'ada@example.com')
      assert.equal((await get('/analytics')).questionsCount, 1)
      const { body: hooks } = await app.api('GET', '/api/v1/webhooks', undefined, kept.key)
      assert.deepEqual(hooks.webhooks[0].event_types.toSorted(), ['lead.captured', 'session.completed'])
      // And it goes on: another talk is given from it.
      const seat = await app.api('POST', `/api/v1/rooms/${kept.slug}/attendees`, { name: 'Ben' }, null)
      assert.equal(seat.status, 200, seat.text)
    } finally {
      await app.close()
    }
  })
})
