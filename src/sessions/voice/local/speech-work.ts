// What goes between the server and the process of a voice or of ears. Types alone.

/** `config` is that of the engine, from `model-folder.ts`. */
export interface SpeechSetup {
  type: 'voice' | 'ears'
  config: object
}

export interface ToSay {
  text: string
  speaker: number
}

export interface Said {
  samples: Float32Array
  sampleRate: number
}

export type ToHear = Said

export interface Heard {
  text: string
}
