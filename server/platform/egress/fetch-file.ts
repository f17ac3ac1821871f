// Fetches the file that an address names through the guarded client. Words of a failure hold neither the remote body nor an address.
import { type OutboundOutcome, type OutboundReason, refusalWords } from './destination.ts'
import type { Outbound } from './outbound.ts'

const documentMs = 60_000

export type Fetched = { ok: true; bytes: Uint8Array } | { ok: false; words: string }

const words: Readonly<Record<OutboundReason, string>> = {
  blocked_destination: refusalWords,
  blocklist_unavailable: 'The address cannot be checked just now. Try again later.',
  dns: 'The host of the address was not found.',
  connect: 'The host of the address does not answer.',
  tls: 'The host of the address has no valid certificate.',
  timeout: 'The host of the address took too long to answer.',
  protocol: 'The host of the address gave an answer that cannot be read.',
  redirect: 'The address redirects too often, or from https to http.',
  too_large: '',
}

/** `what` names the thing in a failure: "file", "picture". */
export async function fetchFile(
  outbound: Pick<Outbound, 'request'>,
  {
    url,
    what,
    maxBytes,
    accept,
    timeoutMs = documentMs,
  }: { url: string; what: string; maxBytes: number; accept: string; timeoutMs?: number },
): Promise<Fetched> {
  const outcome = await outbound.request({ url, headers: { accept }, maxBytes, timeoutMs, redirects: 3 })
  if (outcome.ok && outcome.status === 200) return { ok: true, bytes: outcome.body }
  return { ok: false, words: wordsFor(outcome, what, maxBytes) }
}

function wordsFor(outcome: OutboundOutcome, what: string, maxBytes: number): string {
  if (outcome.ok) return `The host of the address answered ${outcome.status} instead of the ${what}.`
  return outcome.reason === 'too_large' ? `The ${what} is larger than ${maxBytes / 1024 / 1024} MiB.` : words[outcome.reason]
}
