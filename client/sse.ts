// A parser of `text/event-stream` (HTML Living Standard, 9.2.6) that takes text in any pieces. `EventSource` is not used: it cannot
// send the Authorization header and hides 401, 404, 410 and 429.

export interface SseMessage {
  event: string
  data: string
  id: string | undefined
}

export interface SseSink {
  message(message: SseMessage): void
  retry?(ms: number): void
}

export function sseParser(sink: SseSink): (text: string) => void {
  let rest = ''
  let event = ''
  let data: string[] = []
  let id: string | undefined
  const dispatch = () => {
    if (data.length > 0) sink.message({ event: event === '' ? 'message' : event, data: data.join('\n'), id })
    event = ''
    data = []
    id = undefined
  }
  const line = (text: string) => {
    if (text === '') return dispatch()
    const colon = text.indexOf(':')
    if (colon === 0) return
    const field = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? '' : text.slice(colon + (text[colon + 1] === ' ' ? 2 : 1))
    if (field === 'event') event = value
    else if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d+$/.test(value)) sink.retry?.(Number(value))
  }
  return (text) => {
    rest += text
    // A final CR may be half of a CRLF; it waits for the next piece.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + rest.slice(end)
    for (const each of lines) line(each)
  }
}

/** Longest pause before a stream is asked for again. */
export const retryMaxMs = 8_000

/** First retry after 0..300 ms, then up to 0.5 s doubling to 8 s, full jitter; a `retry:` field of the server is the least. */
export function backoffMs(failures: number, chance: number, hintMs = 0): number {
  const span = failures === 0 ? 300 : Math.min(retryMaxMs, 500 * 2 ** (failures - 1))
  return Math.max(failures === 0 ? 0 : hintMs, Math.round(span * chance))
}
