import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { wavOf } from '../../test/support/speech-server.ts'
import { openEspeakVoice } from './local-speech.ts'
import { SpeechFault } from './voice.ts'

/** A program of that name that notes how it was called and does what `then` says. */
async function withProgram(name: string, then: string, fn: (path: string, called: () => string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-espeak-'))
  try {
    writeFileSync(join(folder, 'sound.wav'), wavOf(1_200))
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\nPATH=/usr/bin:/bin\n{ echo "$@"; cat; env; } > "${folder}/called"\n${then.replaceAll('SOUND', `${folder}/sound.wav`)}\n`,
    )
    chmodSync(join(folder, name), 0o700)
    await fn(folder, () => readFileSync(join(folder, 'called'), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('a sentence goes in by standard input and comes out as a clip; options and environment hold nothing of it', () =>
  withProgram('espeak-ng', 'cat SOUND', async (path, called) => {
    const clip = await openEspeakVoice('en-us', path).say('-w /tmp/x; $(reboot)', 'de+f3')
    assert.deepEqual([clip.extension, clip.ms], ['wav', 1_200])
    const [args, heard] = called().split('\n')
    assert.deepEqual([args, heard?.startsWith('-w /tmp/x; $(reboot)')], ['-v de+f3 --stdout -s 160', true])
    assert.doesNotMatch(called(), /HOME=|ROSTRUM/)
  }))

test('a voice that reads as an option is not passed on', () =>
  withProgram('espeak-ng', 'cat SOUND', async (path, called) => {
    await openEspeakVoice('en', path).say('Hello.', '--path=/etc')
    assert.match(called(), /^-v en --stdout/)
  }))

test('the older program serves where the newer one is missing', () =>
  withProgram('espeak', 'cat SOUND', async (path) => {
    assert.equal((await openEspeakVoice('en', path).say('Hello.', 'en')).ms, 1_200)
  }))

test('the voices of a language are those that need nothing else installed', () => {
  const list = ['Pty Language Age/Gender VoiceName File', ' 5  de  --/M  German  gmw/de', ' 6  de  --/F  german-mbrola-1  mb/mb-de1']
  return withProgram('espeak-ng', `printf '%s\\n' ${list.map((line) => `'${line}'`).join(' ')}`, async (path, called) => {
    assert.deepEqual(await openEspeakVoice('en', path).names('de-AT'), ['de'])
    assert.match(called(), /^--voices=de\n/)
  })
})

test('no program, one that fails and one that writes no sound are faults with words', async () => {
  const fault = (words: RegExp, isLasting: boolean) => (error: unknown) =>
    error instanceof SpeechFault && words.test(error.message) && error.isLasting === isLasting
  await assert.rejects(openEspeakVoice('en', '/nowhere').say('Hello.', 'en'), fault(/not installed/, true))
  await withProgram('espeak-ng', 'exit 3', (path) =>
    assert.rejects(openEspeakVoice('en', path).say('Hello.', 'en'), fault(/ended with 3/, true)),
  )
  await withProgram('espeak-ng', 'echo no', (path) =>
    assert.rejects(openEspeakVoice('en', path).say('Hello.', 'en'), fault(/neither MP3 nor WAV/, false)),
  )
})

test('a sentence that is wanted no more ends its program', () =>
  withProgram('espeak-ng', 'exec sleep 60', async (path) => {
    const wish = new AbortController()
    const said = openEspeakVoice('en', path).say('Hello.', 'en', wish.signal)
    wish.abort(new Error('gone'))
    await assert.rejects(said, /gone/)
  }))
