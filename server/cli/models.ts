// `rostrum model list`: the language models that can be had by name, and those that are here.
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, basename, resolve } from 'node:path'
import { isEmbedderFile, openLocalModel } from '../models/local-model.ts'
import type { OpenedEmbedder } from '../models/meanings.ts'
import { openAnyEmbedder } from '../models/open-model.ts'
import { llamaDir, modelFileOf, modelsDir, voiceFolderOf, voicesDir } from '../config/servers.ts'
import { systemClock } from '@rostrum/base/clock'
import { CommandError, type Run, type Print } from './command.ts'
import { install, listed, megabytes, orderFor, table } from './installed.ts'
import known from './known.json' with { type: 'json' }
import { openLocalEars, openLocalVoice } from '../voice/local-speech.ts'
import { earsFolder, voiceFolder } from '../voice/model-folder.ts'

// Adds node-llama-cpp, which runs language models on this machine: into the data directory and not among our own packages, because with
// its variants for graphics cards it is 725 MB. Here the variant for the processor alone is taken, 85 MB.

const version = '3.22.1'
const variants: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
}

const hasEngine = (folder: string) => existsSync(join(folder, 'node_modules/node-llama-cpp/package.json'))

async function addEngine(folder: string, note: (words: string) => void): Promise<void> {
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

export const listModels: Run = async ({ config: read, print }) => {
  const config = read()
  const dir = modelsDir(config.dataDir)
  const models = [...config.models, ...(config.embedder === null ? [] : [config.embedder])]
  const inUse = models.flatMap(({ provider, model }) => (provider === 'llama' ? [dirname(model)] : []))
  const all = listed(dir, known.models, inUse, (folder) => ({
    about: isEmbedderFile(join(folder, 'model.gguf')) ? 'measures meaning' : '',
  }))
  const rows = all.map(({ name, about, licence, sizeBytes, state }) => [name, about, licence, megabytes(sizeBytes), state])
  const engine = config.llama ?? llamaDir(config.dataDir)
  const engineWords = hasEngine(engine) ? `Their engine is in ${engine}.` : 'Their engine is not here yet; `install` adds it (85 MB).'
  print.result(`${table([['NAME', '', 'LICENCE', 'SIZE', ''], ...rows])}\n\n${engineWords} --json shows addresses and checksums.`, {
    models: all,
    engine: hasEngine(engine) ? engine : null,
  })
}

// `rostrum model install [name]`: adds the engine of language models where it is not there yet, and fetches a model for it.

export const installModel: Run = async ({ config: read, positionals: [name], text, flag, print }) => {
  const config = read()
  const engine = config.llama ?? llamaDir(config.dataDir)
  const order = name === undefined ? undefined : orderFor(known.models, name, text, flag('unchecked'))
  if (!hasEngine(engine)) await addEngine(engine, print.note)
  if (order === undefined) {
    return print.result(`The engine is in ${engine}. \`rostrum model list\` shows models for it.`, { engine })
  }
  print.note(`${order.url}${order.sizeBytes === null ? '' : `, ${megabytes(order.sizeBytes)}`}. Licence: ${order.licence}.`)
  const { folder, sha256 } = await install(order, {
    dir: modelsDir(config.dataDir),
    note: print.note,
    place: (file, into) => renameSync(file, join(into, 'model.gguf')),
    check: (made) => mustBeModel(join(made, 'model.gguf')),
  })
  if (order.sha256 === null) print.note(`Its checksum is ${sha256}; nobody has told what it should be.`)
  const variable = isEmbedderFile(join(folder, 'model.gguf')) ? 'ROSTRUM_EMBED' : 'ROSTRUM_LLM'
  print.result(`${folder}\n\nUse it with ${variable}=llama:${name}, or first: rostrum model try ${name}`, { name, folder, sha256, engine })
}

function mustBeModel(path: string): void {
  const file = openSync(path, 'r')
  const head = Buffer.alloc(4)
  readSync(file, head, 0, 4, 0)
  closeSync(file)
  if (head.toString('latin1') !== 'GGUF') throw new CommandError('It is no model in GGUF. Nothing was installed.')
}

// `rostrum model try <name>`: lets a language model of this machine write, or measure, and says how fast.

const sample = 'Say in one sentence what a presenter does.'
const tokensMax = 200

export const tryModelCommand: Run = async ({ config: read, positionals: [name = ''], text, print }) => {
  const config = read()
  const engine = config.llama ?? llamaDir(config.dataDir)
  const file = modelFileOf(name, config.dataDir)
  if (isEmbedderFile(file)) {
    const tried = await tryEmbedder(openAnyEmbedder({ provider: 'llama', model: file, engine }, systemClock))
    const { dimensions, loadedMs, ms } = tried
    return print.result(`It measures what texts mean, in ${dimensions} numbers.\n\nloaded in ${loadedMs} ms, a text in ${ms} ms`, tried)
  }
  const tried = await tryModel({ engine, file }, text('ask') ?? sample, tokensMax)
  const { words, loadedMs, firstMs, ms, tokens } = tried
  const rate = ms > firstMs ? `, ${((tokens * 1_000) / (ms - firstMs)).toFixed(0)} tokens a second` : ''
  print.result(`${words}\n\nloaded in ${loadedMs} ms, first word after ${firstMs} ms${rate}`, tried)
}

/** What it makes of a text, and how long that took. */
export async function tryEmbedder(embedder: OpenedEmbedder) {
  try {
    const start = systemClock.elapsed()
    const since = () => Math.round(systemClock.elapsed() - start)
    await embedder.warm()
    const loadedMs = since()
    const [vector] = await embedder.embed([sample])
    return { dimensions: vector?.length ?? 0, loadedMs, ms: since() - loadedMs }
  } finally {
    embedder.close()
  }
}

/** One text of it, and how long that took. */
export async function tryModel(from: { engine: string; file: string }, ask: string, outputTokensMax: number) {
  const model = openLocalModel(from, null, systemClock)
  try {
    const start = systemClock.elapsed()
    const since = () => Math.round(systemClock.elapsed() - start)
    await model.warm()
    const loadedMs = since()
    let [words, firstMs, tokens] = ['', 0, 0]
    for await (const part of model.stream({ rules: 'Answer briefly.', material: '', ask, outputTokensMax }, new AbortController().signal)) {
      if (part.type === 'tokens') tokens = part.tokens.output
      else {
        words += part.text
        if (firstMs === 0) firstMs = since() - loadedMs
      }
    }
    return { words: words.trim(), loadedMs, firstMs, ms: since() - loadedMs, tokens }
  } finally {
    model.close()
  }
}

// `rostrum voice list`: the voices and recognisers that can be had by name, and those that are here.

export const list: Run = async ({ config: read, print }) => {
  const config = read()
  const dir = voicesDir(config.dataDir)
  const inUse = [config.voice, config.ears].flatMap((each) => (each?.provider === 'sherpa' ? [each.model] : []))
  const all = listed<{ type: string; languages: string }>(dir, known.voices, inUse, () => ({ type: '', languages: '' }))
  const rows = all.map(({ name, type, languages, licence, sizeBytes, state }) => [
    name,
    type,
    languages,
    licence,
    megabytes(sizeBytes),
    state,
  ])
  print.result(
    `${table([['NAME', 'FOR', 'LANGUAGES', 'LICENCE', 'SIZE', ''], ...rows])}\n\nVoices come with data of eSpeak NG (GPL-3.0-or-later). \`rostrum voice install <name>\` fetches one; --json shows addresses and checksums.`,
    { voices: all },
  )
}

// `rostrum voice install <name>`: fetches a voice or a recogniser, checks it, unpacks it, and says how it is used. Nothing else ever
// fetches one.

export const installVoice: Run = async ({ config: read, positionals: [name = ''], text, flag, print }) => {
  const order = orderFor(known.voices, name, text, flag('unchecked'))
  print.note(`${order.url}${order.sizeBytes === null ? '' : `, ${megabytes(order.sizeBytes)}`}. Licence: ${order.licence}.`)
  let found: ReturnType<typeof look> | undefined
  const { folder, sha256 } = await install(order, {
    dir: voicesDir(read().dataDir),
    note: print.note,
    check: (made) => (found = look(made)),
  })
  if (order.sha256 === null) print.note(`Its checksum is ${sha256}; nobody has told what it should be.`)
  const variable = found?.type === 'ears' ? 'ROSTRUM_STT' : 'ROSTRUM_TTS'
  print.result(`${folder}\n\nUse it with ${variable}=sherpa:${name}, or first: rostrum voice try ${name}`, {
    name,
    folder,
    sha256,
    ...found,
  })
}

/** What the unpacked folder holds. Throws where neither engine would take it. */
function look(folder: string): { type: 'voice' | 'ears'; kind: string; speakers?: readonly string[] } {
  try {
    const { kind, speakers } = voiceFolder(folder)
    return { type: 'voice', kind, speakers }
  } catch (asVoice) {
    try {
      return { type: 'ears', kind: earsFolder(folder).kind }
    } catch (asEars) {
      const words = [asVoice, asEars].map((error) => (error instanceof Error ? error.message : String(error)))
      throw new CommandError(`It is neither a voice (${words[0]}) nor a recogniser (${words[1]}).`)
    }
  }
}

// `rostrum voice try <name>`: lets a voice of this machine say a sentence into a WAV file, or a recogniser write down a recording.

const sampleSaid = 'Good afternoon. I am an automated presenter, and you may ask me anything about these slides.'

export const tryVoice: Run = async ({ config: read, positionals: [name = '', recording], text, print }) => {
  const folder = voiceFolderOf(name, read().dataDir)
  if (look(folder).type === 'ears') return hear(folder, recording, print)
  if (recording !== undefined) throw new CommandError(`${name} is a voice: it takes --text.`, 2)
  const voice = openLocalVoice(folder, text('speaker') ?? '', systemClock)
  try {
    const wanted = text('speaker')
    if (wanted !== undefined && !voice.speakers.includes(wanted))
      throw new CommandError(`${name} has no speaker ${wanted}; it has ${voice.speakers.join(', ')}.`, 2)
    const file = resolve(text('out') ?? `${basename(folder)}.wav`)
    const since = systemClock.elapsed()
    await voice.warm()
    const loadedMs = Math.round(systemClock.elapsed() - since)
    const { bytes, ms } = await voice.say(text('text') ?? sampleSaid, voice.voiceByDefault)
    const madeMs = Math.round(systemClock.elapsed() - since) - loadedMs
    writeFileSync(file, bytes)
    print.result(
      `${file}: ${(ms / 1_000).toFixed(1)} s of ${voice.kind}, voice ${voice.voiceByDefault}; loaded in ${loadedMs} ms, made in ${madeMs} ms`,
      {
        file,
        ms,
        kind: voice.kind,
        voice: voice.voiceByDefault,
        speakers: voice.speakers,
        loadedMs,
        madeMs,
      },
    )
    if (voice.speakers.length > 1) print.note(`Others (--speaker): ${voice.speakers.join(', ')}`)
  } finally {
    voice.close?.()
  }
}

async function hear(folder: string, recording: string | undefined, print: Print): Promise<void> {
  if (recording === undefined) throw new CommandError(`${basename(folder)} is a recogniser: name a recording (WAV of 16 bits).`, 2)
  const ears = openLocalEars(folder, systemClock)
  try {
    const bytes = readFileSync(recording)
    if (ears.measure(bytes) === undefined) throw new CommandError(`${recording} is no WAV of 16 bits.`)
    const words = await ears.hear({ bytes, kind: 'wav', language: '' })
    print.result(words === '' ? '(no words)' : words, { text: words })
  } finally {
    ears.close?.()
  }
}
