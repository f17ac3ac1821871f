// `rostrum voice list`: the voices and recognisers that can be had by name, and those that are here.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { voiceFolderOf, voicesDir } from '../config/servers.ts'
import { systemClock } from '../platform/clock.ts'
import { openLocalEars, openLocalVoice } from '../sessions/voice/local-speech.ts'
import { earsFolder, voiceFolder } from '../sessions/voice/model-folder.ts'
import { CommandError, type Print, type Run } from './command.ts'
import { install, listed, megabytes, orderFor, table } from './installed.ts'
import known from './known.json' with { type: 'json' }

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

const sample = 'Good afternoon. I am an automated presenter, and you may ask me anything about these slides.'

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
    const { bytes, ms } = await voice.say(text('text') ?? sample, voice.voiceByDefault)
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
