// `npm run bench`: every measured claim, taken in one run on this machine. `npm run bench -- talk api` runs some; `--json FILE`
// also writes the figures; `--decks FOLDER` has the suites `decks` and `walks` read your own; `--seconds N`, `--film MB` and `--only WORDS`
// are for the suite `hostile`: how long an attack goes on, how large the film is, which attacks. The suite `rules` takes `--decks`
// several times, with `--truth`, `--questions` and `--points`, and `--only WORDS`. Ends with 1 when a claim is missed.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Report } from './report.ts'
import { table } from './report.ts'

const suites: Readonly<Record<string, () => Promise<Report>>> = {
  start: async () => (await import('./start.ts')).benchStart(),
  talk: async () => (await import('./talk.ts')).benchTalk(),
  api: async () => (await import('./api.ts')).benchApi(),
  mcp: async () => (await import('./mcp.ts')).benchMcp(),
  auth: async () => (await import('./auth.ts')).benchAuth(),
  qa: async () => (await import('./qa.ts')).benchQa(values.prose),
  decks: async () => (await import('./decks.ts')).benchDecks(values.decks?.[0]),
  model: async () => (await import('./model.ts')).benchModel(),
  room: async () => (await import('./room.ts')).benchRoom(),
  walks: async () => (await import('./walks.ts')).benchWalks(values.decks?.[0]),
  fanout: async () => (await import('./fanout.ts')).benchFanout(),
  deltas: async () => (await import('./deltas.ts')).benchDeltas(),
  crowd: async () => (await import('./crowd.ts')).benchCrowd(),
  polls: async () => (await import('./polls.ts')).benchPolls(),
  cluster: async () => (await import('./cluster.ts')).benchCluster(),
  scale: async () => (await import('./scale.ts')).benchScale(reports),
  webhooks: async () => (await import('./webhooks.ts')).benchWebhooks(),
  hostile: async () => (await import('./hostile.ts')).benchHostile(hostile()),
  rules: async () => (await import('./rules.ts')).benchRules({ folders: folders(), only: values.only, prose: values.prose }),
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    prose: { type: 'string' },
    decks: { type: 'string', multiple: true },
    truth: { type: 'string', multiple: true },
    questions: { type: 'string', multiple: true },
    points: { type: 'string', multiple: true },
    seconds: { type: 'string' },
    film: { type: 'string' },
    only: { type: 'string' },
  },
})
const hostile = () => ({
  ...(values.seconds !== undefined && { seconds: Number(values.seconds) }),
  ...(values.film !== undefined && { filmMb: Number(values.film) }),
  ...(values.only !== undefined && { only: values.only }),
})
/** The files beside each folder, in the same order, where they are not in it. */
const folders = () =>
  (values.decks ?? []).map((decks, at) => ({
    decks,
    truth: values.truth?.[at],
    questions: values.questions?.[at],
    points: values.points?.[at],
  }))
// People run the bundle; where a source is younger, `bin/rostrum` would run the sources, which start slower and hold more.
spawnSync(process.execPath, [fileURLToPath(new URL('../scripts/setup.mjs', import.meta.url)), 'start'], { stdio: 'inherit' })
// The ledger puts switches into the sources as they are loaded: it runs alone.
const wanted = positionals.length === 0 ? Object.keys(suites).filter((name) => name !== 'rules') : positionals
const reports: Report[] = []
for (const name of wanted) {
  const suite = suites[name]
  if (suite === undefined) {
    console.error(`There is no suite ${name}. There are: ${Object.keys(suites).join(', ')}.`)
    process.exit(2)
  }
  const report = await suite()
  reports.push(report)
  console.log(table(report))
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(reports, null, 2))
process.exitCode = reports.every(({ rows }) => rows.every(({ holds }) => holds)) ? 0 : 1
