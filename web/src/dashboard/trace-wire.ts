// How an answer came about, as `GET .../questions` tells its host.

export interface AnswerTrace {
  candidates: { type: 'slide' | 'knowledge'; index: number; score: number; text: string }[]
  model?: {
    why: string
    waitedMs: number
    calls: {
      model: string
      firstPieceMs: number | null
      firstSaidMs: number | null
      endedMs: number
      outcome: 'won' | 'lost' | 'failed' | 'nothing_verified' | 'stopped'
      claims: { text: string; sources: string[]; verdict: string }[]
      malformed: number
      tokens: { input: number; cached: number; output: number } | null
      cost: number | null
    }[]
  }
}
