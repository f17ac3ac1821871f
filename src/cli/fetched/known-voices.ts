// Voices and recognisers that can be had by name: archives of the releases of sherpa-onnx. Sizes and checksums are those that several
// other projects pin for the same addresses, independently of each other; we have fetched none of them ourselves. Where what they pin
// differs, the file was replaced at its address, and no checksum stands here: whoever installs it says which one they mean.
import type { Known } from './installed.ts'

interface KnownVoice extends Known {
  type: 'voice' | 'ears'
  languages: string
}

const releases = 'https://github.com/k2-fsa/sherpa-onnx/releases/download'
const voice = (
  name: string,
  archive: string,
  languages: string,
  licence: string,
  sizeBytes: number,
  sha256: string | null,
): KnownVoice => ({
  name,
  type: 'voice',
  languages,
  licence,
  url: `${releases}/tts-models/${archive}.tar.bz2`,
  sizeBytes,
  sha256,
})
const ears = (name: string, archive: string, languages: string, sizeBytes: number, sha256: string): KnownVoice => ({
  name,
  type: 'ears',
  languages,
  licence: 'MIT',
  url: `${releases}/asr-models/${archive}.tar.bz2`,
  sizeBytes,
  sha256,
})

/** The licence is of the voice or its recordings; every archive of a voice also holds data of eSpeak NG (GPL-3.0-or-later). */
export const knownVoices: readonly KnownVoice[] = [
  voice(
    'kitten-en',
    'kitten-nano-en-v0_8-int8',
    'en',
    'Apache-2.0',
    31_220_690,
    '6fa5be852612ce761094ba74ee6123b4fc4acfefa79bf64dc63acae4a83af2fd',
  ),
  voice(
    'kokoro-en',
    'kokoro-en-v0_19',
    'en',
    'Apache-2.0',
    319_625_534,
    '912804855a04745fa77a30be545b3f9a5d15c4d66db00b88cbcd4921df605ac7',
  ),
  voice(
    'kokoro-en-small',
    'kokoro-int8-en-v0_19',
    'en',
    'Apache-2.0',
    103_248_205,
    'c9f0dd393615805b0bab050c340834d5e684e732aec91c0e860cd30e982c08bd',
  ),
  voice(
    'kokoro-zh-en',
    'kokoro-int8-multi-lang-v1_1',
    'zh, en',
    'Apache-2.0',
    147_031_220,
    'a1e94694776049035c4f2c6529f003aaece993c76aae9a78995831c3c4dcafc6',
  ),
  voice(
    'piper-de',
    'vits-piper-de_DE-thorsten-medium-int8',
    'de',
    'CC0-1.0',
    20_949_833,
    '07e240b7b9c1fc9211d5a69512f8cbe11b3286c2ed79c15c076ac6ed427fdf13',
  ),
  voice(
    'piper-de-high',
    'vits-piper-de_DE-thorsten-high',
    'de',
    'CC0-1.0',
    115_591_546,
    'dd4ed1b0d42c30a1a4862fc2b243e8044d52b8889c9ff3d1e99e92028888bc4a',
  ),
  voice(
    'piper-fr',
    'vits-piper-fr_FR-siwis-medium-int8',
    'fr',
    'CC-BY-4.0 (name SIWIS)',
    20_914_888,
    '3909cff9b3cfd4820c66aa13bf554315c82e34899c161f0b446ece372bc4b5ec',
  ),
  voice(
    'piper-es',
    'vits-piper-es_ES-davefx-medium-int8',
    'es',
    'CC0-1.0',
    21_171_632,
    '8bb8ac1cefb727caec9bd9c6c3185c673c8b42c53bd29bb25d5a7715dac37125',
  ),
  voice('piper-pt', 'vits-piper-pt_BR-faber-medium-int8', 'pt', 'CC0-1.0', 21_336_772, null),
  ears(
    'whisper-tiny',
    'sherpa-onnx-whisper-tiny',
    'some 90',
    116_204_861,
    'c46116994e539aa165266d96b325252728429c12535eb9d8b6a2b10f129e66b1',
  ),
  ears(
    'whisper-base',
    'sherpa-onnx-whisper-base',
    'some 90',
    207_557_382,
    '911b2083efd7c0dca2ac3b358b75222660dc09fb716d64fbfc417ba6c99ff3de',
  ),
  ears(
    'moonshine-en',
    'sherpa-onnx-moonshine-tiny-en-int8',
    'en',
    107_600_538,
    'd5fe6ec4334fef36255b2a4010412cad4c007e33103fec62fb5d17cad88086f2',
  ),
]
