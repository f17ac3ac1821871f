// The espeak program of this machine as a voice (`ROSTRUM_TTS=espeak:<voice>`): no network, no key. The sentence goes in by standard
// input, never as an argument, and the program gets no environment but a search path.
import { spawn } from 'node:child_process'
import { checkedClip, clipMaxBytes, SpeechFault, type Voice } from './voice.ts'

const timeoutMs = 20_000
/** The newer program first; both take these options. */
const programs = ['espeak-ng', 'espeak'] as const
/** Names of voices, such as `en-us+f3`; nothing that reads as an option. */
const voicePattern = /^[a-z0-9][a-z0-9+_-]{0,40}$/i

/** Where programs are installed. */
const usualPath = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'

export function openEspeakVoice(voiceByDefault: string, path = usualPath): Voice {
  const name = `espeak:${voiceByDefault}`
  let known: readonly string[] = programs
  return {
    name,
    voiceByDefault,
    async say(text, voice, signal) {
      // A session may name a voice of another maker.
      const spoken = voicePattern.test(voice) ? voice : voiceByDefault
      for (const program of known) {
        const bytes = await run(program, ['-v', spoken, '--stdout', '-s', '160'], text, { path, signal })
        if (bytes === 'missing') continue
        known = [program]
        return checkedClip(bytes, name)
      }
      throw new SpeechFault('espeak-ng is not installed on this machine.', true)
    },
    async names(language) {
      for (const program of known) {
        const list = await run(program, [`--voices=${language.split('-')[0] ?? ''}`], '', { path, signal: undefined })
        // Priority, name, gender, title, file; voices of mbrola need files of their own.
        if (list !== 'missing')
          return [
            ...Buffer.from(list)
              .toString()
              .matchAll(/^ *\d+ +(\S+) +\S+ +\S+ +(?! *mb\/)/gm),
          ].map(([, of]) => of ?? '')
      }
      return []
    },
  }
}

function run(
  program: string,
  args: readonly string[],
  text: string,
  { path, signal }: { path: string; signal: AbortSignal | undefined },
): Promise<Uint8Array | 'missing'> {
  return new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, killSignal: 'SIGKILL', env: { PATH: path }, ...(signal && { signal }) } as const
    const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] })
    const parts: Buffer[] = []
    let size = 0
    child.stdout.on('data', (part: Buffer) => {
      size += part.length
      if (size > clipMaxBytes) child.kill('SIGKILL')
      else parts.push(part)
    })
    child.on('error', (error) => {
      if ('code' in error && error.code === 'ENOENT') resolve('missing')
      else reject(signal?.aborted ? signal.reason : new SpeechFault(`${program} cannot be started.`))
    })
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(parts))
      else reject(signal?.aborted ? signal.reason : new SpeechFault(`${program} ended with ${code ?? 'a signal'}.`, code !== null))
    })
    // It may end before it has read everything; how it ended says more.
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}
