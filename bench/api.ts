// CPU time of the server per request, against a bare `node:http` server in the same run: both asked by the same client, in turns, for
// the same answers: the same headers, the same bytes, made from an object of the same shape.
import { createServer } from 'node:http'
import { freePort, startServer } from '../test/support/server.ts'
import { commitMicros } from './commit-floor.ts'
import type { Target } from './load.ts'
import { costs, ratioOf, startBare } from './load.ts'
import type { Report } from './report.ts'
import { median } from './report.ts'
import { benchEnv, sessionTargets } from './session-target.ts'

const reads = { rounds: 7, count: 3_000 }
/** One at a time, so that every creation pays for a commit of its own. */
const writes = { rounds: 5, count: 300, lanes: 1, settled: 10_000 }
const owed = { get: 5, post: 12, observed: 1.05 }

export async function benchApi(): Promise<Report> {
  // The web role alone: what other work a new session starts is not the cost of the call.
  const server = await startServer({ env: { ...benchEnv, ROSTRUM_ROLE: 'web' } })
  const collector = await startCollector()
  const observed = await startServer({
    env: { ...benchEnv, ROSTRUM_ROLE: 'web', OTEL_EXPORTER_OTLP_ENDPOINT: `http://localhost:${collector.port}` },
  })
  const [ours, theirs] = [await sessionTargets(server), await sessionTargets(observed)]
  const bare = await startBare(ours.get, ours.post)
  try {
    const [exported, kept] = [traced(theirs.get, '01'), traced(theirs.get, '00')]
    const get = await costs({ floor: bare.floorOf(ours.get), plain: ours.get, exported, kept }, reads)
    const post = await costs({ floor: bare.floorOf(ours.post), create: ours.post }, writes)
    const commit = commitMicros(server.dataDir, ours.sessionId, writes)
    const getRatio = ratioOf(get.plain, get.floor)
    const postRatio = ratioOf(
      post.create.map((each) => each - commit),
      post.floor,
    )
    const observedRatio = ratioOf(get.exported, get.kept)
    return {
      suite: 'API (server CPU, against bare node:http in the same run)',
      rows: [
        {
          claim: 'authenticated GET of a session',
          measured: `${getRatio.toFixed(2)} x`,
          owed: `<= ${owed.get} x`,
          holds: getRatio <= owed.get,
        },
        {
          claim: `POST create, less the store's own commit of ${commit.toFixed(0)} us`,
          measured: `${postRatio.toFixed(2)} x`,
          owed: `<= ${owed.post} x`,
          holds: postRatio <= owed.post,
        },
        {
          claim: 'the same GET with every span exported',
          measured: `${observedRatio.toFixed(2)} x`,
          owed: `<= ${owed.observed} x`,
          holds: observedRatio <= owed.observed,
        },
      ],
      figures: {
        getRatio,
        postRatio,
        observedRatio,
        commitMicros: commit,
        getMicros: median(get.plain),
        bareMicros: median(get.floor),
        postMicros: median(post.create),
      },
    }
  } finally {
    bare.stop()
    await Promise.all([server.stop(), observed.stop()])
    collector.stop()
  }
}

/**
 * The same call in a trace of its caller, whose flags say whether spans of it are wanted: one process answers both, because two of the
 * same code differ by more than a span costs.
 */
function traced(target: Target, flags: '00' | '01'): Target {
  return { ...target, headers: { ...target.headers, traceparent: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}` } }
}

/** Takes spans and forgets them. */
async function startCollector(): Promise<{ port: number; stop(): void }> {
  const port = await freePort()
  const server = createServer((incoming, outgoing) => incoming.resume().once('end', () => outgoing.end()))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { port, stop: () => void server.close() }
}
