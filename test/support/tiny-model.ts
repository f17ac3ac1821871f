// A language model small enough to write down (GGUF, llama architecture), so that the real engine loads and runs it: whatever it is
// asked, it writes one text. Its layers do nothing, so that each token alone decides the next: a table, one row for a token.
import { writeFileSync } from 'node:fs'

const u32 = 4
const f32 = 6
const string = 8
const array = 9
const i32 = 5

class Writer {
  readonly parts: Buffer[] = []
  size = 0

  bytes(of: Buffer): void {
    this.parts.push(of)
    this.size += of.length
  }

  u32(value: number): void {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    this.bytes(bytes)
  }

  u64(value: number): void {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(value))
    this.bytes(bytes)
  }

  f32(value: number): void {
    const bytes = Buffer.alloc(4)
    bytes.writeFloatLE(value)
    this.bytes(bytes)
  }

  string(value: string): void {
    const bytes = Buffer.from(value)
    this.u64(bytes.length)
    this.bytes(bytes)
  }

  pair(key: string, type: number, write: () => void): void {
    this.string(key)
    this.u32(type)
    write()
  }

  list(key: string, type: number, length: number, write: (at: number) => void): void {
    this.pair(key, array, () => {
      this.u32(type)
      this.u64(length)
      for (let at = 0; at < length; at++) write(at)
    })
  }
}

/** Of pieces so long that none comes twice: each needs one follower. */
function piecesOf(text: string): string[] {
  for (let length = 1; length <= text.length; length++) {
    const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length))
    if (new Set(pieces).size === pieces.length && pieces.every((piece) => piece.length > 1 || length === 1)) return pieces
  }
  return [text]
}

/** `measures`: it brings the tokens of a text together, as a model that measures meaning. */
export function writeTinyModel(file: string, reply: string, { measures = false } = {}): string {
  // Kinds of tokens (llama.cpp): 1 normal, 2 unknown, 3 control, 6 a byte.
  const special = ['<unk>', '<s>', '</s>'].map((text, at) => ({ text, kind: at === 0 ? 2 : 3 }))
  const bytes = Array.from({ length: 256 }, (_, at) => ({ text: `<0x${at.toString(16).toUpperCase().padStart(2, '0')}>`, kind: 6 }))
  const pieces = piecesOf(reply).map((text) => ({ text: text.replaceAll(' ', '\u2581'), kind: 1 }))
  const tokens = [...special, ...bytes, ...pieces]
  const first = special.length + bytes.length
  const end = 2
  const next = (id: number) => (id < first ? first : id + 1 < tokens.length ? id + 1 : end)
  // Rows of matrices are multiples of 32.
  const width = Math.ceil(tokens.length / 32) * 32
  const tensors: { name: string; dims: number[]; at?: (index: number) => number }[] = [
    { name: 'token_embd.weight', dims: [width, tokens.length], at: (index) => (index % width === Math.floor(index / width) ? 1 : 0) },
    { name: 'output_norm.weight', dims: [width], at: () => 1 },
    // The row of a token holds its score after each other token.
    { name: 'output.weight', dims: [width, tokens.length], at: (index) => (next(index % width) === Math.floor(index / width) ? 1 : 0) },
    { name: 'blk.0.attn_norm.weight', dims: [width], at: () => 1 },
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) => ({ name: `blk.0.${name}.weight`, dims: [width, width] })),
    { name: 'blk.0.ffn_norm.weight', dims: [width], at: () => 1 },
    ...['ffn_gate', 'ffn_up', 'ffn_down'].map((name) => ({ name: `blk.0.${name}.weight`, dims: [width, width] })),
  ]
  const out = new Writer()
  out.bytes(Buffer.from('GGUF'))
  out.u32(3)
  out.u64(tensors.length)
  const numbers: [string, number][] = [
    ['llama.context_length', 16_384],
    ['llama.embedding_length', width],
    ['llama.block_count', 1],
    ['llama.feed_forward_length', width],
    ['llama.attention.head_count', 1],
    ['llama.rope.dimension_count', width],
    // The mean over the tokens of a text.
    ...(measures ? ([['llama.pooling_type', 1]] as [string, number][]) : []),
    ['general.file_type', 0],
    ['tokenizer.ggml.bos_token_id', 1],
    ['tokenizer.ggml.eos_token_id', end],
    ['tokenizer.ggml.unknown_token_id', 0],
  ]
  out.u64(numbers.length + 6)
  out.pair('general.architecture', string, () => out.string('llama'))
  out.pair('tokenizer.ggml.model', string, () => out.string('llama'))
  for (const [key, value] of numbers) out.pair(key, u32, () => out.u32(value))
  out.pair('llama.attention.layer_norm_rms_epsilon', f32, () => out.f32(1e-5))
  out.list('tokenizer.ggml.tokens', string, tokens.length, (at) => out.string(tokens[at]?.text ?? ''))
  out.list('tokenizer.ggml.scores', f32, tokens.length, () => out.f32(0))
  out.list('tokenizer.ggml.token_type', i32, tokens.length, (at) => out.u32(tokens[at]?.kind ?? 1))
  const align = (size: number) => Math.ceil(size / 32) * 32
  let offset = 0
  const sizes = tensors.map(({ dims }) => dims.reduce((product, dim) => product * dim, 1))
  for (const [at, { name, dims }] of tensors.entries()) {
    out.string(name)
    out.u32(dims.length)
    for (const dim of dims) out.u64(dim)
    out.u32(0)
    out.u64(offset)
    offset += align((sizes[at] ?? 0) * 4)
  }
  out.bytes(Buffer.alloc(align(out.size) - out.size))
  for (const [at, { at: valueAt = () => 0 }] of tensors.entries()) {
    const values = Float32Array.from({ length: sizes[at] ?? 0 }, (_, index) => valueAt(index))
    const data = Buffer.from(values.buffer)
    out.bytes(data)
    out.bytes(Buffer.alloc(align(data.length) - data.length))
  }
  writeFileSync(file, Buffer.concat(out.parts))
  return file
}
