// Language models that can be had by name, each one file at one revision. Sizes and checksums are those that several other projects pin
// for the same files, independently of each other; we have fetched none of them ourselves.
import type { Known } from './installed.ts'

interface KnownModel extends Known {
  about: string
  sha256: string
}

const hub = 'https://huggingface.co'

export const knownModels: readonly KnownModel[] = [
  {
    name: 'qwen2.5-1.5b',
    about: '1.5 billion weights, 4 bits; needs 2 GB',
    licence: 'Apache-2.0',
    url: `${hub}/Qwen/Qwen2.5-1.5B-Instruct-GGUF/resolve/91cad51170dc346986eccefdc2dd33a9da36ead9/qwen2.5-1.5b-instruct-q4_k_m.gguf`,
    sizeBytes: 1_117_320_736,
    sha256: '6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e',
  },
  {
    name: 'smollm3-3b',
    about: '3 billion weights, 4 bits; needs 4 GB',
    licence: 'Apache-2.0',
    url: `${hub}/ggml-org/SmolLM3-3B-GGUF/resolve/4965cb60b150737b68a0408c36aeefb65078f894/SmolLM3-Q4_K_M.gguf`,
    sizeBytes: 1_915_305_312,
    sha256: '8334b850b7bd46238c16b0c550df2138f0889bf433809008cc17a8b05761863e',
  },
]
