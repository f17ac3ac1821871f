// `npm run check`: what must hold before a commit, within 15 s.
import { checks, runAll, unit } from './suites.ts'

const { passed, failed } = await runAll([...checks, unit], {}, 2)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
