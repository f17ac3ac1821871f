/** The problem document (RFC 9457) of a refused call. */
export class RostrumError extends Error {
  readonly status: number
  readonly code: string
  readonly problem: Readonly<Record<string, unknown>>
  /** Seconds to wait before trying again, where the service says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, problem: Readonly<Record<string, unknown>>, retryAfter: string | null) {
    super(typeof problem['detail'] === 'string' ? problem['detail'] : `The service answered ${status}.`)
    this.name = 'RostrumError'
    this.status = status
    this.code = typeof problem['code'] === 'string' ? problem['code'] : 'unknown'
    this.problem = problem
    this.retryAfterSeconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
  }

  static async of(response: Response): Promise<RostrumError> {
    return RostrumError.from(response.status, await response.text().catch(() => ''), response.headers.get('Retry-After'))
  }

  /** A page of a proxy is no problem document: its status is told alone. */
  static from(status: number, text: string, retryAfter: string | null): RostrumError {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      body = {}
    }
    return new RostrumError(status, recordOf(body), retryAfter)
  }
}

export function recordOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}
