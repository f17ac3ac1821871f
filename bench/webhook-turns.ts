// One of those that are held against each other, in a process of its own: in a common one each would pay for the garbage of the other
// and for the shapes of its objects, as it would nowhere else. It does a round when it is told to, so that rounds take turns.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { PgBoss } from 'pg-boss'
import { openPostgres } from '../server/platform/db/postgres.ts'
import type { Store } from '../server/platform/db/store.ts'
import { addEvents, baseUrl, open, session, subscribe, withStore } from './webhook-rig.ts'
import type { Cost, Shape } from './webhook-rounds.ts'
import { costOf, peer, raw } from './webhook-rounds.ts'
import { profileShares } from './webhook-shares.ts'

export interface Setting {
  who: 'ours' | 'bare undici' | 'pg-boss'
  shape: Shape
  /** Of the receiver. */
  port: number
  perRound: number
  /** Ours: null means the embedded store. */
  postgres: string | null
}

type Around = (work: () => Promise<void>) => Promise<void>

interface Turns {
  round(): Promise<Cost>
  /** Where the time of a round goes. */
  shares(): Promise<string>
  close(): Promise<void>
}

/** The events are in the outbox; from there to the end of the last attempt in the store. */
async function ourRound(store: Store, { shape, perRound }: Setting, around: Around = (work) => work()): Promise<Cost> {
  await addEvents(store, perRound / shape.endpoints)
  const { webhooks, close } = open(store, shape.perEndpoint)
  const cost = await costOf(perRound, () =>
    around(async () => {
      await webhooks.start()
      for (;;) {
        await webhooks.idle()
        const left = await store.read.selectFrom('outbox').select('event_id').limit(1).execute()
        if (left.length === 0) return
        await new Promise((resolve) => void setTimeout(resolve, 5))
      }
    }),
  )
  await close()
  const left = await store.read.selectFrom('webhook_deliveries').select('id').where('status', '<>', 'succeeded').execute()
  if (left.length > 0) throw new Error(`${left.length} deliveries were not sent.`)
  return cost
}

async function turnsOfOurs(store: Store, setting: Setting): Promise<Turns> {
  const { shape, port } = setting
  const setUp = open(store, shape.perEndpoint)
  await subscribe(setUp.webhooks, port, shape.endpoints)
  await setUp.close()
  return {
    round: () => ourRound(store, setting),
    shares: () => profileShares((around) => ourRound(store, setting, around)),
    close: () => store.close(),
  }
}

const noShares = () => Promise.resolve('')

async function turnsOf(setting: Setting, bodies: readonly string[]): Promise<Turns> {
  const { who, shape, port, postgres } = setting
  if (who === 'bare undici') return { round: () => raw(port, shape, bodies), shares: noShares, close: () => Promise.resolve() }
  if (who === 'ours') {
    const store = await openPostgres(postgres ?? '', { outbox: { baseUrl, consumers: ['webhooks'] } })
    await store.write((tx) => tx.insertInto('sessions').values(session).execute())
    return turnsOfOurs(store, setting)
  }
  const boss = new PgBoss({ connectionString: postgres ?? '', schema: 'boss' })
  boss.on('error', (error) => console.error(error))
  await boss.start()
  await boss.createQueue('webhooks')
  return { round: () => peer(boss, port, shape, bodies), shares: noShares, close: () => boss.stop({ graceful: false }) }
}

/** Answers each word with what comes of it, until it is told to close. */
async function obey(turns: Turns): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  process.on('message', (word: keyof Turns) => {
    turns[word]().then(
      (answer) => {
        process.send?.(answer ?? null)
        if (word === 'close') resolve()
      },
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
  process.send?.('ready')
  await promise
  process.disconnect?.()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Written by `startTurns`.
  const setting = JSON.parse(process.argv[2] ?? '') as Setting
  await withStore(async (store) => {
    if (setting.who === 'ours' && setting.postgres === null) return obey(await turnsOfOurs(store, setting))
    await addEvents(store, 1)
    const { body } = await store.read.selectFrom('domain_events').select('body').executeTakeFirstOrThrow()
    return obey(
      await turnsOf(
        setting,
        Array.from({ length: setting.perRound }, () => body),
      ),
    )
  })
}

/** The same in another process. */
export async function startTurns(setting: Setting): Promise<Turns> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(setting)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const answer = () =>
    new Promise<unknown>((resolve, reject) => {
      const gone = () => reject(new Error(`The process of ${setting.who} has ended.`))
      child.once('exit', gone)
      child.once('message', (message) => {
        child.off('exit', gone)
        resolve(message)
      })
    })
  const ask = async (word: keyof Turns): Promise<unknown> => {
    const answered = answer()
    child.send(word)
    return answered
  }
  await answer()
  // What each word is answered with is written above.
  return {
    round: async () => (await ask('round')) as Cost,
    shares: async () => (await ask('shares')) as string,
    close: async () => void (await ask('close')),
  }
}
