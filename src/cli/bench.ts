// `rostrum bench`: the measured claims, from the repository.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Run } from './command.ts'
import { CommandError } from './command.ts'

export const run: Run = async () => {
  const script = fileURLToPath(new URL('../../bench/main.ts', import.meta.url))
  if (!existsSync(script))
    throw new CommandError('The benchmark is part of the repository, not of this installation: clone it and run `npm run bench`.')
  const child = spawn(process.execPath, [script], { stdio: 'inherit' })
  return new Promise((resolve) => void child.once('close', (code) => resolve(code ?? 1)))
}
