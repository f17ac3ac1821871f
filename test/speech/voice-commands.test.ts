// `rostrum voice list|install|try` against a mirror on loopback: what breaks off goes on, what is not what it should be is never
// installed, and what is installed speaks.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import tables from '../../server/cli/known.json' with { type: 'json' }
import { runCommandLine } from '../../server/cli/run.ts'
import { soundOf, wavFrom } from '../../server/voice/audio.ts'
import { eventually } from '../support/clock.ts'
import type { FileServer } from '../support/file-server.ts'
import { startFileServer } from '../support/file-server.ts'
import type { TarEntry } from '../support/tar.ts'
import { tarOf } from '../support/tar.ts'
import { writeTinyEars, writeTinyVoice } from '../support/tiny-speech.ts'

const root = mkdtempSync(join(tmpdir(), 'rostrum-voices-'))
const dataDir = join(root, 'data')
const voices = join(dataDir, 'voices')
let server: FileServer
const dataDirBefore = process.env['ROSTRUM_DATA_DIR']
before(async () => {
  server = await startFileServer()
  // What was sent before a break has arrived.
  server.beforeCut = (at) => {
    const part = () => readdirSync(voices).find((name) => name.endsWith('.part'))
    return eventually(async () => statSync(join(voices, part() ?? ''), { throwIfNoEntry: false })?.size === at)
  }
  process.env['ROSTRUM_DATA_DIR'] = dataDir
})
after(async () => {
  if (dataDirBefore === undefined) delete process.env['ROSTRUM_DATA_DIR']
  else process.env['ROSTRUM_DATA_DIR'] = dataDirBefore
  await server.close()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(() => mkdirSync(dataDir, { recursive: true }))
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true })
  server.files.clear()
  Object.assign(server, { asked: [], cuts: [], hasRanges: true })
})

async function rostrum(...words: string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runCommandLine(words, { out: (text) => void out.push(text), err: (text) => void err.push(text) })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const filesOf = (folder: string): TarEntry[] => [
  { name: 'tiny/', type: '5' },
  ...readdirSync(folder).map((name) => ({ name: `tiny/${name}`, bytes: readFileSync(join(folder, name)) })),
]
const voiceFiles = filesOf(writeTinyVoice(join(root, 'voice')))
const archive = gzipSync(tarOf(voiceFiles))
const sum = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const offer = (bytes: Uint8Array, name = 'tiny.tar.gz') => {
  server.files.set(`/${name}`, bytes)
  return `${server.origin}/${name}`
}
const left = () => (existsSync(voices) ? readdirSync(voices) : [])

test('a voice is fetched, checked and unpacked, its licence said, and then it speaks into a WAV', async () => {
  const made = await rostrum('voice', 'install', 'tiny', '--url', offer(archive), '--sha256', sum(archive))
  assert.equal(made.code, 0, made.err)
  assert.match(made.err, /Licence: not known\./)
  assert.match(made.out, /ROSTRUM_TTS=sherpa:tiny/)
  assert.deepEqual(left(), ['tiny'])
  assert.equal(JSON.parse(readFileSync(join(voices, 'tiny/installed.json'), 'utf8')).sha256, sum(archive))
  const file = join(root, 'said.wav')
  const said = await rostrum('voice', 'try', 'tiny', '--text', 'Hello', '--out', file, '--speaker', '1')
  assert.equal(said.code, 0, said.err)
  assert.deepEqual(soundOf(readFileSync(file)), { extension: 'wav', ms: 300 })
  assert.match((await rostrum('voice', 'try', 'tiny', '--speaker', 'anna')).err, /^tiny has no speaker anna; it has 0, 1\./m)
  assert.match((await rostrum('voice', 'list')).out, /^tiny .* installed$/m)
  assert.match(
    (await rostrum('voice', 'install', 'tiny', '--url', offer(archive), '--unchecked')).err,
    /is installed in .*Remove that folder/,
  )
})

test('a recogniser is told apart, and writes down a recording', async () => {
  const ears = gzipSync(tarOf(filesOf(writeTinyEars(join(root, 'ears')))))
  const made = await rostrum('voice', 'install', 'tiny-ears', '--url', offer(ears), '--unchecked')
  assert.match(made.out, /ROSTRUM_STT=sherpa:tiny-ears/)
  assert.match(made.err, new RegExp(`Its checksum is ${sum(ears)}; nobody has told`))
  const recording = join(root, 'question.wav')
  writeFileSync(
    recording,
    wavFrom(
      Float32Array.from({ length: 8_000 }, (_, at) => 0.3 * Math.sin((2 * Math.PI * 250 * at) / 16_000)),
      16_000,
    ),
  )
  assert.equal((await rostrum('voice', 'try', 'tiny-ears', recording)).out, 'low')
  assert.match((await rostrum('voice', 'try', 'tiny-ears')).err, /name a recording/)
})

test('a download that breaks off goes on from where it was, by itself and with the next command', async () => {
  const url = offer(archive)
  server.cuts = [300, 700]
  const made = await rostrum('voice', 'install', 'tiny', '--url', url, '--sha256', sum(archive))
  assert.equal(made.code, 0, made.err)
  assert.deepEqual(server.asked, ['/tiny.tar.gz', '/tiny.tar.gz bytes=300-', '/tiny.tar.gz bytes=700-'])
  rmSync(join(voices, 'tiny'), { recursive: true })
  server.cuts = [300, 300, 300, 300, 300]
  // From the second on nothing new is sent.
  const stopped = await rostrum('voice', 'install', 'tiny', '--url', url, '--sha256', sum(archive))
  assert.equal(stopped.code, 1)
  assert.match(stopped.err, /broke off\. 0\.0 MB are kept: the same command goes on from there\./)
  server.asked = []
  server.cuts = []
  assert.equal((await rostrum('voice', 'install', 'tiny', '--url', url, '--sha256', sum(archive))).code, 0)
  assert.deepEqual(server.asked, ['/tiny.tar.gz bytes=300-'])
})

test('a server without ranges, and one whose file has become shorter, begin anew', async () => {
  const url = offer(archive)
  Object.assign(server, { hasRanges: false, cuts: [300] })
  assert.equal((await rostrum('voice', 'install', 'tiny', '--url', url, '--sha256', sum(archive))).code, 0)
  rmSync(join(voices, 'tiny'), { recursive: true })
  Object.assign(server, { hasRanges: true, cuts: [] })
  writeFileSync(join(voices, '.tiny-tiny.tar.gz.part'), Buffer.alloc(archive.length + 10))
  assert.equal((await rostrum('voice', 'install', 'tiny', '--url', url, '--sha256', sum(archive))).code, 0)
})

test('another checksum or another size than was told is never installed, and nothing of it stays', async () => {
  const wrong = await rostrum('voice', 'install', 'tiny', '--url', offer(archive), '--sha256', sum(Buffer.from('other')))
  assert.deepEqual([wrong.code, left()], [1, []])
  assert.match(wrong.err, new RegExp(`has the checksum ${sum(archive)} and should have ${sum(Buffer.from('other'))}`))
  // Known voices have a size beside their checksum; the mirror has something else by that name.
  const [known] = tables.voices
  const name = known?.url.split('/').at(-1) ?? ''
  offer(archive, `mirror/${name}`)
  const short = await rostrum('voice', 'install', known?.name ?? '', '--mirror', `${server.origin}/mirror/`)
  assert.deepEqual([short.code, left()], [1, []])
  assert.match(short.err, new RegExp(`is ${archive.length} bytes and should be ${known?.sizeBytes}`))
})

test('no checksum, no voice, unless the operator says so', async () => {
  const unknown = tables.voices.find(({ sha256 }) => sha256 === null)
  const refused = await rostrum('voice', 'install', unknown?.name ?? '')
  assert.equal(refused.code, 1)
  assert.match(refused.err, /No checksum of .* is known here.*--sha256.*--unchecked/)
  offer(archive, String(unknown?.url.split('/').at(-1)))
  assert.equal((await rostrum('voice', 'install', unknown?.name ?? '', '--mirror', server.origin, '--sha256', sum(archive))).code, 0)
  assert.deepEqual(server.asked.length, 1)
  for (const [args, words] of [
    [['nobody'], /nobody is not known here/],
    [['../up', '--url', `${server.origin}/x`, '--unchecked'], /A name is made of letters/],
    [['x', '--url', 'http://files.test/x', '--unchecked'], /Write an https address/],
    [['x', '--url', `${server.origin}/none`, '--unchecked'], /answered 404/],
    [['x', '--url', `${server.origin}/none`, '--sha256', 'abc'], /64 digits/],
  ] as const)
    assert.match((await rostrum('voice', 'install', ...args)).err, words)
})

for (const [what, entries, words] of [
  ['a path upwards', [{ name: 'tiny/../../escape.txt', bytes: Buffer.from('x') }], /leads out of its folder/],
  ['an absolute path', [{ name: '/tmp/escape.txt', bytes: Buffer.from('x') }], /leads out of its folder/],
  [
    'a path upwards in a long name',
    [
      { name: 'long', type: 'L', bytes: Buffer.from('tiny/../../../escape.txt\0') },
      { name: 'tiny/short', bytes: Buffer.from('x') },
    ],
    /leads out of its folder/,
  ],
  [
    'a path upwards in a record of pax',
    [
      { name: 'pax', type: 'x', bytes: Buffer.from('30 path=tiny/../../escape.txt\n') },
      { name: 'tiny/short', bytes: Buffer.from('x') },
    ],
    /leads out of its folder/,
  ],
  // The link is passed over, so the file behind it lands in a folder of its own.
  [
    'a link that leads out',
    [
      { name: 'tiny/out', type: '2', linkTo: root },
      { name: 'tiny/out/escape.txt', bytes: Buffer.from('x') },
    ],
    /neither a voice .* nor a recogniser/,
  ],
  ['nothing of use', [{ name: 'tiny/readme', bytes: Buffer.from('x') }], /neither a voice .* nor a recogniser/],
] as const)
  test(`an archive with ${what} is not installed, and nothing is written beside its folder`, async () => {
    const made = await rostrum('voice', 'install', 'bad', '--url', offer(tarOf(entries)), '--unchecked')
    assert.equal(made.code, 1)
    assert.match(made.err, words)
    assert.deepEqual(left(), [])
    for (const folder of [root, dataDir, tmpdir(), '/tmp']) assert.equal(existsSync(join(folder, 'escape.txt')), false)
  })

test('archives packed by bzip2 and plain ones are unpacked, and one that is cut off is refused', async () => {
  const plain = tarOf(voiceFiles)
  assert.equal((await rostrum('voice', 'install', 'plain', '--url', offer(plain), '--unchecked')).code, 0)
  const cut = await rostrum('voice', 'install', 'cut', '--url', offer(plain.subarray(0, 1_500)), '--unchecked')
  assert.match(cut.err, /The archive is cut off/)
  const broken = await rostrum('voice', 'install', 'broken', '--url', offer(archive.subarray(0, archive.length - 40)), '--unchecked')
  assert.equal(broken.code, 1)
  // `tiny/tokens.txt` with "a 1" and `tiny/model.onnx` with "x", packed by bzip2 1.0.8: no model, but unpacked to the end.
  const packed = Buffer.from(
    'QlpoOTFBWSZTWRq0wncAAJh7gMmQAAJAAf2AIABmL55gCCggAHISpPSDQAAA0wgVSmptJ6g0NNGmho00P3zPealKgVziIQu5e3NtLpWtyiEKhXKMPOei9rIsVEMUkKL5zY42p3RROxI+4NPPli2+oj3D53cE0BvJGFrIjMa0MhSg/F3JFOFCQGrTCdw=',
    'base64',
  )
  const bzipped = await rostrum('voice', 'install', 'bzipped', '--url', offer(packed), '--unchecked')
  assert.match(bzipped.err, /model\.onnx does not say what it is/)
  assert.deepEqual(left(), ['plain'])
})
