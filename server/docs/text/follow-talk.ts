// A follower in sixty lines, without a library: joins a talk as an agent, prints what is said, asks one question, prints the answer, and
// leaves. `node follow-talk.ts https://talks.example.com/join/<slug> "How long is the warranty?"`
const [link = '', question = ''] = process.argv.slice(2)
const { origin, pathname } = new URL(link)
const key = pathname.split('/').at(-1)

interface Message {
  id?: string
  event: string
  data: Record<string, unknown>
}

async function post(path: string, token: string, body: object): Promise<Record<string, string>> {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) }
  const response = await fetch(`${origin}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  // An answer is an object; a problem says in `detail` what to send instead.
  const answer = (await response.json()) as Record<string, string>
  if (!response.ok) throw new Error(answer['detail'])
  return answer
}

/** The messages of the stream; `after` is the id of the last one that was seen. */
async function* messages(stream: string, token: string, after: string): AsyncGenerator<Message> {
  const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${token}`, ...(after === '' ? {} : { 'Last-Event-ID': after }) }
  const response = await fetch(stream, { headers })
  if (response.status >= 400 && response.status < 500) throw new Error(`The talk cannot be followed: ${response.status}.`)
  let text = ''
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (text + piece).split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const fields = Object.fromEntries(
        part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      if (fields['data']) yield { event: '', ...fields, data: JSON.parse(fields['data']) as Message['data'] }
    }
  }
}

const seat = await post(`/rooms/${key}/attendees`, '', { kind: 'agent', name: 'A follower' })
const { attendeeToken: token = '', runId, stream = '' } = seat
const act = (what: string, body: object) => post(`/runs/${runId}/${what}`, token, { id: crypto.randomUUID(), ...body })
await act('control', { action: 'start' })

let after = ''
let isOver = false
// A stream may end at any time, when a server restarts: it goes on from the last message.
for (; !isOver; await new Promise((resolve) => setTimeout(resolve, 500))) {
  for await (const { id, event, data } of messages(stream, token, after)) {
    after = id ?? after
    if (event === 'slide') console.log(`\n# ${String(data['title'])}`)
    if (event === 'beat' && data['phase'] === 'start') {
      console.log(data['text'])
      if (question !== '' && data['kind'] === 'narration') await act('questions', { text: question }).catch(() => '')
    }
    if (event === 'answer' && data['phase'] === 'end') {
      console.log(`> ${question}\n${String(data['text'])}`)
      await act('leave', {})
    }
    isOver ||= event === 'closed'
  }
}
