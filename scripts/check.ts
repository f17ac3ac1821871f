// `npm run check`: what must hold before a commit, within 15 s.
import { checks, runAll, showSum, unit } from './suites.ts'

showSum(await runAll([...checks, unit], {}, 2))
