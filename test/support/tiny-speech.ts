// Models of speech that are small enough to write down, in the formats of real ones, so that the native engine loads and runs them:
// a voice of the VITS kind, in which each letter is a tone of its own, and a recogniser of the CTC kind that tells a low tone from a
// high one. What they say is no speech; loading, threads, faults and sound are those of a real model.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Field } from './protobuf.ts'
import { message } from './protobuf.ts'

const float = 1
const int64 = 7

const text = (value: string) => new TextEncoder().encode(value)

function tensor(name: string, type: number, dims: readonly number[], values: readonly number[]): Field {
  const raw = type === float ? new Uint8Array(Float32Array.from(values).buffer) : new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
  return [5, message([...dims.map((dim): Field => [1, dim]), [2, type], [8, text(name)], [9, raw]])]
}

function node(op: string, inputs: readonly string[], output: string, attributes: Readonly<Record<string, number>> = {}): Field {
  const named = Object.entries(attributes).map(([name, value]): Field => [
    5,
    message([
      [1, text(name)],
      [3, value],
      [20, 2],
    ]),
  ])
  return [1, message([...inputs.map((input): Field => [1, text(input)]), [2, text(output)], [4, text(op)], ...named])]
}

function value(at: 11 | 12, name: string, type: number, dims: readonly (number | string)[]): Field {
  const shape = dims.map((dim): Field => [1, message([typeof dim === 'number' ? [1, dim] : [2, text(dim)]])])
  return [
    at,
    message([
      [1, text(name)],
      [
        2,
        message([
          [
            1,
            message([
              [1, type],
              [2, message(shape)],
            ]),
          ],
        ]),
      ],
    ]),
  ]
}

function onnx(graph: readonly Field[], properties: Readonly<Record<string, string | number>>): Uint8Array {
  const kept = Object.entries(properties).map(([key, of]): Field => [
    14,
    message([
      [1, text(key)],
      [2, text(String(of))],
    ]),
  ])
  return message([
    [1, 8],
    [7, message([...graph, [2, text('tiny')]])],
    [
      8,
      message([
        [1, text('')],
        [2, 13],
      ]),
    ],
    ...kept,
  ])
}

/** A model without anything in it but what it says of itself. */
export const onnxWith = (properties: Readonly<Record<string, string | number>>) => onnx([], properties)

const letters = " abcdefghijklmnopqrstuvwxyz0123456789.,'?!"
export const tinyVoiceRate = 16_000
export const letterMs = 60

const letterSamples = (tinyVoiceRate * letterMs) / 1_000

/** A folder with `model.onnx` and `tokens.txt`: two speakers, the second half as high again. A space is silence. */
export function writeTinyVoice(folder: string, properties: Readonly<Record<string, string | number>> = {}): string {
  const step = (2 * Math.PI) / tinyVoiceRate
  const ramp = Array.from({ length: letterSamples }, (_, at) => at * step)
  const graph = [
    node('Cast', ['input'], 'ids', { to: float }),
    node('Reshape', ['ids', 'column'], 'letters'),
    node('Mul', ['letters', 'spread'], 'above'),
    node('Add', ['above', 'lowest'], 'pitch'),
    node('Cast', ['sid'], 'speaker', { to: float }),
    node('Mul', ['speaker', 'half'], 'more'),
    node('Add', ['more', 'one'], 'factor'),
    node('Mul', ['pitch', 'factor'], 'frequency'),
    node('Mul', ['frequency', 'ramp'], 'phase'),
    node('Sin', ['phase'], 'tone'),
    node('Min', ['letters', 'one'], 'sounds'),
    node('Mul', ['tone', 'sounds'], 'loud'),
    node('Mul', ['loud', 'volume'], 'wave'),
    node('Reshape', ['wave', 'whole'], 'output'),
    tensor('column', int64, [2], [-1, 1]),
    tensor('whole', int64, [3], [1, 1, -1]),
    tensor('spread', float, [1], [40]),
    tensor('lowest', float, [1], [160]),
    tensor('half', float, [1], [0.5]),
    tensor('one', float, [1], [1]),
    tensor('volume', float, [1], [0.3]),
    tensor('ramp', float, [1, letterSamples], ramp),
    value(11, 'input', int64, [1, 'letters']),
    value(11, 'input_lengths', int64, [1]),
    value(11, 'scales', float, [3]),
    value(11, 'sid', int64, [1]),
    value(12, 'output', float, [1, 1, 'samples']),
  ]
  const model = onnx(graph, {
    model_type: 'vits',
    comment: 'coqui',
    frontend: 'characters',
    language: 'English',
    sample_rate: tinyVoiceRate,
    n_speakers: 2,
    add_blank: 0,
    use_eos_bos: 0,
    ...properties,
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'model.onnx'), model)
  writeFileSync(join(folder, 'tokens.txt'), Array.from(letters, (letter, id) => `${letter} ${id}\n`).join(''))
  return folder
}

/** A folder with a recogniser that hears `low` and `high`, by where most of the sound is, and nothing in silence. */
export function writeTinyEars(folder: string): string {
  const bands = 23
  const words = 3
  // Log energies: silence lies far below, and the blank wins by its constant there.
  const weights = Array.from({ length: bands * words }, (_, at) => {
    const [band, word] = [Math.floor(at / words), at % words]
    if (word === 1) return band < 8 ? 1 / 8 : 0
    return word === 2 && band >= 12 ? 1 / 11 : 0
  })
  const graph = [
    node('MatMul', ['x', 'weights'], 'sums'),
    node('Add', ['sums', 'bias'], 'scores'),
    node('LogSoftmax', ['scores'], 'log_probs', { axis: 2 }),
    tensor('weights', float, [bands, words], weights),
    tensor('bias', float, [words], [-8, 0, 0]),
    value(11, 'x', float, ['N', 'T', bands]),
    value(12, 'log_probs', float, ['N', 'T', words]),
  ]
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'model.onnx'), onnx(graph, { model_type: 'tdnn', vocab_size: words }))
  writeFileSync(join(folder, 'tokens.txt'), '<eps> 0\nlow 1\nhigh 2\n')
  return folder
}
