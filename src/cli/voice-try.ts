// `rostrum voice try <name>`: lets a voice of this machine say a sentence into a WAV file, or a recogniser write down a recording.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { voiceFolderOf } from '../config-speech.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLocalEars, openLocalVoice } from '../speech/local/local-speech.ts'
import type { Run } from './command.ts'
import { CommandError } from './command.ts'
import { look } from './voice-install.ts'

const sample = 'Good afternoon. I am an automated presenter, and you may ask me anything about these slides.'

export const run: Run = async ({ config: read, positionals: [name = '', recording], text, print }) => {
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
    return 0
  } finally {
    voice.close?.()
  }
}

async function hear(folder: string, recording: string | undefined, print: Parameters<Run>[0]['print']): Promise<number> {
  if (recording === undefined) throw new CommandError(`${basename(folder)} is a recogniser: name a recording (WAV of 16 bits).`, 2)
  const ears = openLocalEars(folder, systemClock)
  try {
    const bytes = readFileSync(recording)
    if (ears.measure(bytes) === undefined) throw new CommandError(`${recording} is no WAV of 16 bits.`)
    const words = await ears.hear({ bytes, kind: 'wav', language: '' })
    print.result(words === '' ? '(no words)' : words, { text: words })
    return 0
  } finally {
    ears.close?.()
  }
}
