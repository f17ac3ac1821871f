// A connection that could not be made. Apart from the dialling, because only that needs the HTTP client.

/** The stage a connection failed in; `code` is the cause's. */
export class DialError extends Error {
  readonly stage: 'connect' | 'tls'
  constructor(stage: 'connect' | 'tls', detail: string) {
    super(detail)
    this.name = 'DialError'
    this.stage = stage
  }
}
