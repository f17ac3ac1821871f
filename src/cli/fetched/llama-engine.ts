// Adds node-llama-cpp, which runs language models on this machine: into the data directory and not among our own packages, because with
// its variants for graphics cards it is 725 MB. Here the variant for the processor alone is taken, 85 MB.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../command.ts'

const version = '3.22.1'
const variants: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
}

export const hasEngine = (folder: string) => existsSync(join(folder, 'node_modules/node-llama-cpp/package.json'))

export async function addEngine(folder: string, note: (words: string) => void): Promise<void> {
  const variant = variants[`${process.platform}-${process.arch}`]
  if (variant === undefined) throw new CommandError(`There is no engine for ${process.platform}-${process.arch} here.`)
  const packages = [`node-llama-cpp@${version}`, `@node-llama-cpp/${variant}@${version}`]
  note(`Adding ${packages.join(' and ')} (MIT) to ${folder}: 46 MB to fetch, 85 MB on the disk.`)
  mkdirSync(folder, { recursive: true })
  // Its scripts would fetch and build what these packages hold already.
  const options = [
    '--ignore-scripts',
    '--omit=optional',
    '--workspaces=false',
    '--global=false',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--save-exact',
  ]
  await npm(['install', '--prefix', folder, ...options, ...packages], packages.join(' '))
  if (!hasEngine(folder)) throw new CommandError(`npm ended well, and ${packages.join(' ')} are not in ${folder}.`)
}

function npm(args: readonly string[], packages: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let words = ''
    child.stderr.on('data', (part: Buffer) => (words = (words + part.toString()).slice(-2_000)))
    child.on('error', () =>
      reject(new CommandError(`npm is not on the PATH. Install ${packages} elsewhere, and name its folder in ROSTRUM_LLAMA.`)),
    )
    child.on('close', (code) => (code === 0 ? resolve() : reject(new CommandError(`npm failed (${code}). ${words.trim()}`))))
  })
}
