// Attendees of a broadcast over real sockets, who follow it through whichever process answers and resume where they were: each counts
// what it got twice and what it never got.
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:http'

export interface CrowdDeps {
  /** Ports of processes that serve streams. */
  ports: readonly number[]
  runId: string
  /** When a room event came, for the first attendee that saw it. */
  onEvent(event: { epoch: number; seq: number; at: number }): void
}

export interface Member {
  /** `seq` of its first snapshot. */
  from: number
  /** `seq` of every room event, in order of arrival. */
  readonly got: number[]
  /** Whole snapshots beside the first: the stream was not resumed. */
  resets: number
  isClosed: boolean
  close(): void
}

const retryMs = 100
const agent = new Agent({ keepAlive: false, maxSockets: Infinity })

/** Follows the run from the process at `ports[first]`, and from the next one whenever a stream breaks. */
export function follow(token: string, first: number, { ports, runId, onEvent }: CrowdDeps): Member {
  let at = first
  let cursor = ''
  let isOver = false
  let stream: { destroy(): unknown } | undefined

  const member: Member = {
    from: -1,
    got: [],
    resets: 0,
    isClosed: false,
    close() {
      isOver = true
      stream?.destroy()
    },
  }

  function again(): void {
    if (isOver || member.isClosed) return
    at++
    setTimeout(open, retryMs)
  }

  function open(): void {
    if (isOver) return
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...(cursor === '' ? {} : { 'Last-Event-ID': cursor }) }
    const port = ports[at % ports.length] ?? 0
    const asked = request({ host: '127.0.0.1', port, path: `/api/v1/runs/${runId}/stream`, headers, agent }, read)
    stream = asked
    let isLost = false
    const lose = () => {
      if (isLost) return
      isLost = true
      again()
    }
    asked.once('error', lose)
    asked.once('close', lose)
    asked.end()
  }

  function read(response: IncomingMessage): void {
    if (response.statusCode !== 200) return void response.destroy()
    let rest = ''
    response.setEncoding('utf8')
    // The request tells of the end.
    response.on('error', () => undefined)
    response.on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) take(block)
    })
  }

  function take(block: string): void {
    const id = /^id: (\d+)-(\d+)$/m.exec(block)
    const event = /^event: (\w+)$/m.exec(block)?.[1]
    if (event === 'closed') member.isClosed = true
    if (id === null) return
    const [epoch, seq] = [Number(id[1]), Number(id[2])]
    cursor = `${epoch}-${seq}`
    if (event === 'snapshot') {
      if (member.from === -1) member.from = seq
      else member.resets++
      return
    }
    // Room events name the one before them; private ones do not.
    if (!/"prev":\d/.test(block)) return
    member.got.push(seq)
    onEvent({ epoch, seq, at: performance.now() })
  }

  open()
  return member
}

export interface Account {
  lost: number
  repeated: number
  unordered: number
  resets: number
}

/** Holds what each member got against the room events of the log. */
export function accountOf(members: readonly Member[], roomSeqs: readonly number[]): Account {
  const account: Account = { lost: 0, repeated: 0, unordered: 0, resets: 0 }
  for (const { from, got, resets } of members) {
    const distinct = new Set(got)
    account.resets += resets
    account.repeated += got.length - distinct.size
    account.unordered += got.filter((seq, index) => index > 0 && seq < (got[index - 1] ?? 0)).length
    account.lost += roomSeqs.filter((seq) => seq > from && !distinct.has(seq)).length
  }
  return account
}
