// A process of its own that presents the runs of a data directory: `node live-process.ts <directory> <lease ms> [<steps> <ms>]`. It kills
// itself so long after it has written so many steps of the talk, and never where none are named: what has happened by then does not
// depend on the machine. The first one also joins a broadcast, so that there is something to present.
import { hashSecret, mint } from '../../server/accounts/credentials.ts'
import { createRecapLinks } from '../../server/runs/attendees.ts'
import { systemClock, systemIds } from '@rostrum/base/clock'
import { createLive } from '../../server/runs/room/live.ts'
import { runTopic } from '../../server/runs/log/run-log.ts'
import { openSqlite } from '../../server/platform/db/sqlite.ts'
import { insertSession, quotingAnswers, sampleContent, withoutCeilings } from './live.ts'
import { sampleSession, sampleTalk } from './sample-talk.ts'
import { testOutbox } from './stores.ts'

const [directory = '', leaseMs = '300', steps, delayMs] = process.argv.slice(2)

const quickTalk = () => {
  const talk = sampleTalk(12, 3)
  return { ...talk, beats: talk.beats.map((beat) => ({ ...beat, estMs: 120 })) }
}

const store = await openSqlite(directory, { outbox: testOutbox })
let left = Number(steps)
store.listen(runTopic(''), () => {
  if (--left === 0) systemClock.after(Number(delayMs), () => process.kill(process.pid, 'SIGKILL'))
})
const session = sampleSession({ mode: 'broadcast', ctaRules: ['end'] })
const live = createLive({
  store,
  clock: systemClock,
  ids: systemIds,
  baseUrl: 'https://rostrum.test',
  role: 'worker',
  holdsStore: false,
  leaseMs: Number(leaseMs),
  questionWindowMs: 200,
  speechWpm: 6_000,
  content: sampleContent([session], quickTalk()),
  answers: quotingAnswers,
  leads: { consentTextIn: () => 'I agree.', save: async () => ({ leadId: systemIds.uuid(), created: true }) },
  recapLinks: createRecapLinks(['secret of this test'], 'https://rostrum.test'),
  mintToken: () => mint('att', systemIds),
  hashToken: hashSecret,
  minutes: withoutCeilings,
  openRuns: { limits: { session: null, account: null, address: null }, marksOf: (address) => [{ mark: hashSecret(address), times: 1 }] },
  voices: { tts: false, stt: false },
  ears: null,
  affordHearing: async () => true,
  keepSound: async () => '/media/host.wav',
  onFault: (runId, error) => console.error(runId, error),
})
const known = await store.read.selectFrom('sessions').select('id').executeTakeFirst()
if (known === undefined) await insertSession(store, session, systemClock.now())
await live.start()
if (known === undefined) {
  const { joinRoom } = await import('../../server/runs/operations/join-room.ts')
  const join = joinRoom.bind(live.room)
  const call = {
    principal: { kind: 'nobody' as const },
    now: systemClock.now(),
    requestId: '',
    address: '',
    signal: new AbortController().signal,
  }
  const { attendeeId, runId } = (await join.handle({ key: session.slug, kind: 'human' }, call)) as { attendeeId: string; runId: string }
  await live.room.runs.submit(runId, {
    kind: 'visit',
    id: systemIds.uuid(),
    attendeeId,
    name: null,
    attendeeKind: 'human',
  })
}
