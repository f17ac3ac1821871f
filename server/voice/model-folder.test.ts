import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { onnxWith, writeTinyEars, writeTinyVoice } from '../../test/support/tiny-speech.ts'
import { earsFolder, onnxProperties, voiceFolder } from './model-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'rostrum-folders-'))
after(() => rmSync(root, { recursive: true, force: true }))

let count = 0

/** A folder with empty files, and models that say what they are. */
function folder(files: Readonly<Record<string, Readonly<Record<string, string | number>> | null>>): string {
  const path = join(root, String(count++))
  mkdirSync(path)
  for (const [name, properties] of Object.entries(files)) {
    if (name.endsWith('/')) mkdirSync(join(path, name))
    else writeFileSync(join(path, name), properties === null ? '' : onnxWith(properties))
  }
  return path
}

const base = { sample_rate: 24_000, n_speakers: 2, speaker_names: 'anna,bo', language: 'English' }

test('the layouts of the published archives are told apart, and the engine is told each of their files', () => {
  const kokoro = folder({
    'model.onnx': { ...base, model_type: 'kokoro' },
    'voices.bin': null,
    'tokens.txt': null,
    'lexicon-us-en.txt': null,
    'lexicon-zh.txt': null,
    'espeak-ng-data/': null,
  })
  const { kind, speakers, sampleRate, config } = voiceFolder(kokoro)
  assert.deepEqual([kind, speakers, sampleRate], ['Kokoro', ['anna', 'bo'], 24_000])
  const at = (name: string) => join(kokoro, name)
  assert.deepEqual(config, {
    model: {
      kokoro: {
        tokens: at('tokens.txt'),
        dataDir: at('espeak-ng-data'),
        lexicon: `${at('lexicon-us-en.txt')},${at('lexicon-zh.txt')}`,
        model: at('model.onnx'),
        voices: at('voices.bin'),
      },
      numThreads: 2,
      debug: false,
      provider: 'cpu',
    },
    maxNumSentences: 1,
  })
  const kinds = [
    { 'model.int8.onnx': { ...base, model_type: 'kitten-tts' }, 'voices.bin': null, 'tokens.txt': null },
    { 'en_US-x-medium.onnx': { ...base, model_type: 'vits', comment: 'piper' }, 'tokens.txt': null, 'espeak-ng-data/': null },
    { 'model-steps-3.onnx': { ...base, model_type: 'matcha-tts' }, 'vocos-22khz-univ.onnx': {}, 'tokens.txt': null },
    { 'model.onnx': { ...base, model_type: 'vits', comment: 'coqui' }, 'tokens.txt': null },
  ].map((files) => voiceFolder(folder(files)).kind)
  assert.deepEqual(kinds, ['Kitten', 'Piper', 'Matcha', 'VITS'])
})

test('recognisers are told apart likewise, and of two sizes the smaller is taken', () => {
  const whisper = folder({
    'base-encoder.onnx': { model_type: 'whisper-base' },
    'base-encoder.int8.onnx': { model_type: 'whisper-base' },
    'base-decoder.int8.onnx': {},
    'base-tokens.txt': null,
  })
  assert.match(JSON.stringify(earsFolder(whisper)), /"kind":"Whisper".*base-encoder\.int8\.onnx/)
  const tokens = { 'tokens.txt': null }
  const kinds = [
    { 'encoder.onnx': {}, 'decoder.onnx': {}, 'joiner.onnx': {}, ...tokens },
    { 'preprocess.onnx': {}, 'encode.int8.onnx': {}, 'uncached_decode.int8.onnx': {}, 'cached_decode.int8.onnx': {}, ...tokens },
    { 'model.int8.onnx': { model_type: 'sense_voice_ctc' }, ...tokens },
    { 'model.onnx': { model_type: 'EncDecCTCModel' }, ...tokens },
    { 'model.onnx': { model_type: 'paraformer' }, ...tokens },
  ].map((files) => earsFolder(folder(files)).kind)
  assert.deepEqual(kinds, ['transducer', 'Moonshine', 'SenseVoice', 'NeMo CTC', 'Paraformer'])
})

test('what a folder lacks is said by its name, before the engine is asked', () => {
  const tokens = { 'tokens.txt': null }
  for (const [files, words] of [
    [{}, /holds no tokens\.txt/],
    [tokens, /holds no voice \(no \.onnx file\)/],
    [{ ...tokens, 'model.onnx': null }, /does not say what it is/],
    [{ ...tokens, 'model.onnx': { ...base, model_type: 'kokoro' } }, /holds no voices\.bin/],
    [{ ...tokens, 'model.onnx': { ...base, model_type: 'vits', comment: 'piper' } }, /holds no espeak-ng-data/],
    [{ ...tokens, 'm.onnx': { ...base, model_type: 'matcha-tts' } }, /holds no vocoder/],
  ] as const)
    assert.throws(() => voiceFolder(folder(files)), words)
  assert.throws(() => voiceFolder(join(root, 'none')), /There is no folder .*none/)
  assert.throws(
    () => earsFolder(folder({ ...tokens, 'model.onnx': { model_type: 'kokoro' } })),
    /is no recogniser that is known here \(kokoro\)/,
  )
})

test('properties are read past weights of any size, and of a broken file there are none', () => {
  const voice = writeTinyVoice(join(root, 'voice'))
  assert.equal(onnxProperties(join(voice, 'model.onnx')).get('sample_rate'), '16000')
  assert.equal(onnxProperties(join(writeTinyEars(join(root, 'ears')), 'model.onnx')).get('model_type'), 'tdnn')
  const junk = join(root, 'junk.onnx')
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(40), Buffer.alloc(40, 0xff), Buffer.from('PK\u0003\u0004 not a model at all')]) {
    writeFileSync(junk, bytes)
    assert.equal(onnxProperties(junk).size, 0)
  }
})
