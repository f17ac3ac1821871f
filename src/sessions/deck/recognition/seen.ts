// What was seen in a picture: words with their places, whoever recognised them.

export interface SeenWord {
  text: string
  /** Pixels from the upper left corner. */
  x0: number
  y0: number
  x1: number
  y1: number
  /** 0..1 */
  confidence: number
  /** The same for words of one line, in order; of one paragraph. */
  line: string
  paragraph: string
}

export interface SeenPicture {
  width: number
  height: number
  words: readonly SeenWord[]
}
