// The verifier of Standard Webhooks, which shares no code with us.
import { Webhook } from 'standardwebhooks'

/** Throws where it refuses the delivery. It reads the time of the machine; only the manual clock's time is moved there. */
export function verifyIndependently(
  secret: string,
  { body, headers, at }: { body: string; headers: Record<string, unknown>; at: number },
): void {
  const now = Date.now
  Date.now = () => at
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
  } finally {
    Date.now = now
  }
}
