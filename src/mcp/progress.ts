// `notifications/progress` of a slow tool (spec 4.5): its steps by name, in order, all sent before the result.
import type { ServerContext } from '@modelcontextprotocol/server'

export interface Progress {
  /** Tells step 1, 2, ...; one that was told, or an earlier one, is not told again. */
  tell(step: number): void
  /** Resolves when everything told has been sent. Never rejects: a client that does not listen loses only this. */
  sent(): Promise<void>
}

/** Undefined where the request has no progress token, or the tool is not slow. */
export function progressFor({ mcpReq }: ServerContext, steps: readonly string[]): Progress | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined || steps.length === 0) return undefined
  let told = 0
  let sending = Promise.resolve()
  return {
    tell(step) {
      const message = steps[step - 1]
      if (message === undefined || step <= told) return
      told = step
      const params = { progressToken, progress: step, total: steps.length, message }
      sending = sending.then(() => mcpReq.notify({ method: 'notifications/progress', params })).catch(() => undefined)
    },
    sent: () => sending,
  }
}
