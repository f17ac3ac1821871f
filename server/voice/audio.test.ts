import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mp3Of, wavOf } from '../../test/support/speech-server.ts'
import { recordedKind, soundOf, wavMs } from './audio.ts'

test('the length of a WAV is read from its header, also where a server did not know it while it streamed', () => {
  assert.deepEqual(soundOf(wavOf(1_500)), { extension: 'wav', ms: 1_500 })
  const streamed = Buffer.from(wavOf(1_500))
  streamed.writeUInt32LE(0xffffffff, 4)
  streamed.writeUInt32LE(0xffffffff, 40)
  assert.equal(wavMs(streamed), 1_500)
})

test('chunks before the sound of a WAV are stepped over, an odd one with its padding', () => {
  const plain = Buffer.from(wavOf(500))
  const list = Buffer.concat([Buffer.from('LIST\x05\0\0\0', 'latin1'), Buffer.alloc(6)])
  assert.equal(wavMs(Buffer.concat([plain.subarray(0, 36), list, plain.subarray(36)])), 500)
})

test('the length of an MP3 is counted by its frames, a tag before them left out', () => {
  assert.deepEqual(soundOf(mp3Of(2_400)), { extension: 'mp3', ms: 2_400 })
  const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 1, 0, ...Buffer.alloc(128)])
  assert.equal(soundOf(Buffer.concat([tag, mp3Of(2_400)]))?.ms, 2_400)
  const mpeg1 = Buffer.alloc(417)
  mpeg1.set([0xff, 0xfb, 0x90, 0xc4])
  assert.equal(soundOf(Buffer.concat(Array.from({ length: 100 }, () => mpeg1)))?.ms, Math.round((100 * 1_152_000) / 44_100))
})

test('what is no sound has no length', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('{"error":{}}'), Buffer.alloc(4_096), wavOf(0), Buffer.from('RIFF')])
    assert.equal(soundOf(bytes), undefined)
})

test('no bytes make the readers throw or hang, and a length is never negative', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(wavOf(20), mp3Of(96)), fc.nat(80), (noise, whole, at) => {
      const spoilt = Buffer.from(whole)
      spoilt.set(noise.subarray(0, Math.max(0, spoilt.length - at)), Math.min(at, spoilt.length))
      for (const bytes of [noise, spoilt]) {
        assert.ok((soundOf(bytes)?.ms ?? 1) > 0)
        recordedKind(bytes)
      }
    }),
  )
})

test('a recording is known by its bytes', () => {
  const padded = (...head: number[]) => Uint8Array.from([...head, ...Array<number>(16).fill(0)])
  assert.equal(recordedKind(padded(0x1a, 0x45, 0xdf, 0xa3)), 'webm')
  assert.equal(recordedKind(padded(...Buffer.from('OggS'))), 'ogg')
  assert.equal(recordedKind(wavOf(10)), 'wav')
  assert.equal(recordedKind(padded(0, 0, 0, 24, ...Buffer.from('ftypM4A '))), 'mp4')
  assert.equal(recordedKind(mp3Of(100)), 'mp3')
  assert.equal(recordedKind(Buffer.from('<html><body>hello</body></html>')), undefined)
})
