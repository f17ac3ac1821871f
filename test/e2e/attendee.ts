// An attendee without a browser: joins a room, keeps its stream open, and acts by the documented posts.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'

export interface Attendee {
  runId: string
  /** Each has an id of its own. */
  post(path: 'control' | 'questions' | 'lead' | 'cta', body: object): Promise<Response>
  leave(): void
}

interface Joined {
  runId: string
  attendeeToken: string
}

export async function joinRoom(baseUrl: string, slug: string): Promise<Attendee> {
  const json = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ id: randomUUID(), name: 'Maya' })
  const answer = await fetch(`${baseUrl}/api/v1/rooms/${slug}/attendees`, { method: 'POST', headers: json, body })
  assert.equal(answer.status, 200)
  const { runId, attendeeToken } = (await answer.json()) as Joined
  const authorization = { Authorization: `Bearer ${attendeeToken}` }
  const run = `${baseUrl}/api/v1/runs/${runId}`
  const stop = new AbortController()
  const stream = await fetch(`${run}/stream`, { headers: { ...authorization, Accept: 'text/event-stream' }, signal: stop.signal })
  void stream.body?.pipeTo(new WritableStream()).catch(() => undefined)
  return {
    runId,
    post: (path, act) =>
      fetch(`${run}/${path}`, {
        method: 'POST',
        headers: { ...json, ...authorization },
        body: JSON.stringify({ id: randomUUID(), ...act }),
      }),
    leave: () => stop.abort(),
  }
}
