// Which processes of the cluster live: each keeps one connection to PostgreSQL under its own name, and PostgreSQL, on whose side the
// connection ends with the process, tells which names are left. A hint alone: what a process may still write is decided by epochs.
import { Client, type ClientConfig } from 'pg'
import { z } from 'zod'

export interface Lifeline {
  /** `gone`: names that were there at an earlier call and are there no more. The first call connects; a broken connection is opened anew. */
  look(): Promise<{ living: readonly string[]; gone: readonly string[] }>
  close(): Promise<void>
}

const prefix = 'rostrum:'
/** A process that PostgreSQL has not shown yet (one that is connected to another server of the same database) is never called gone. */
const listed = `SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '${prefix}%'`
const namesIn = z.array(z.object({ name: z.string() }))

export function postgresLifeline(config: ClientConfig, name: string): Lifeline {
  let seen: ReadonlySet<string> = new Set()
  let client: Client | null = null
  let isClosed = false

  async function connect(): Promise<Client> {
    const fresh = new Client({ ...config, application_name: `${prefix}${name}` })
    const lose = () => {
      if (client === fresh) client = null
      // The server may have gone away with everybody: what was seen before says nothing any more.
      seen = new Set()
    }
    fresh.on('error', lose)
    fresh.on('end', lose)
    await fresh.connect()
    client = fresh
    if (isClosed) await fresh.end()
    return fresh
  }

  return {
    async look() {
      if (isClosed) return { living: [], gone: [] }
      const through = client ?? (await connect())
      const rows = namesIn.parse((await through.query<Record<string, unknown>>(listed)).rows)
      const now = new Set(rows.map((row) => row.name.slice(prefix.length)))
      const gone = [...seen].filter((one) => !now.has(one))
      seen = now
      return { living: [...now], gone }
    },
    async close() {
      isClosed = true
      await client?.end()
    },
  }
}
