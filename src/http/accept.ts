// Content negotiation (RFC 9110 sections 12.5.1 and 12.5.3): the type of `offered` that the caller likes best, the codings it takes.

/** `offered` in our order of preference. Falls back to the first, because an answer in the usual form beats a refusal. */
export function preferred<T extends string>(accept: string | undefined, offered: readonly [T, ...T[]]): T {
  const [usual] = offered
  if (accept === undefined || accept === '*/*') return usual
  const ranges = accept.split(',').map(rangeOf)
  let best: { type: T; q: number } = { type: usual, q: 0 }
  for (const type of offered) {
    const q = qualityOf(type, ranges)
    if (q > best.q) best = { type, q }
  }
  return best.type
}

interface Range {
  type: string
  q: number
}

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.toLowerCase().split(';')
  const q = parameters.map((parameter) => /^\s*q=([0-9.]+)\s*$/.exec(parameter)?.[1]).find((value) => value !== undefined)
  return { type: type.trim(), q: q === undefined ? 1 : Number(q) || 0 }
}

/** The most specific range that covers `type` decides. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const wildcard = `${type.slice(0, type.indexOf('/'))}/*`
  for (const candidate of [type, wildcard, '*/*']) {
    const range = ranges.find((entry) => entry.type === candidate)
    if (range !== undefined) return range.q
  }
  return 0
}

/** What answers may be encoded in, the smallest first. */
const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

/** The codings of ours that an `Accept-Encoding` takes; none where it names none of them (`*` is not taken for consent). */
export function takenCodings(accept = ''): readonly Coding[] {
  if (accept === '') return []
  const ranges = accept.split(',').map(rangeOf)
  return codings.filter((coding) => ranges.some(({ type, q }) => type === coding && q > 0))
}
