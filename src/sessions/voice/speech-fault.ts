// A server of speech that failed, in words for the operator's log: never with the text that was to be said, nor with what it answered.

export class SpeechFault extends Error {
  /** Sending the same again will not help. */
  readonly isLasting: boolean

  constructor(detail: string, isLasting = false) {
    super(detail)
    this.name = 'SpeechFault'
    this.isLasting = isLasting
  }
}
