// What goes between the server and the process of a language model on this machine. Types alone.

export interface LlamaSetup {
  /** The folder in whose `node_modules` node-llama-cpp lies. */
  engine: string
  /** GGUF. */
  file: string
  /** It measures what texts mean, and writes none. */
  isEmbedder?: boolean
}

export interface ToMeasure {
  texts: readonly string[]
}

export interface ToWrite {
  rules: string
  text: string
  outputTokensMax: number
}

/** What was read and written, without what was still known from the piece before. */
export interface Written {
  input: number
  output: number
}
