// A disk that is nearly full: uploads are refused in words before their body is read, while everything that keeps a talk going goes on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

/** No disk has as much. */
const nearlyFull = { ROSTRUM_DISK_RESERVE: '999999GiB', ROSTRUM_METRICS_TOKEN: 'metrics-token' }

eachStore((_, open) => {
  test('uploads filled the disk to its last byte, and with it whatever talks write', () =>
    withService(
      open,
      async (app) => {
        const made = await app.api('POST', '/api/v1/agent/sessions', { title: 'Quays', slides: [{ textContent: 'Quay 3 is open.' }] })
        assert.equal(made.status, 200)
        const { sessionId } = made.body
        let isRead = false
        const pull = (controller: ReadableStreamDefaultController) => {
          isRead = true
          controller.enqueue(new Uint8Array(1_024))
        }
        const body = new ReadableStream({ pull }, { highWaterMark: 0 })
        const headers = { Authorization: `Bearer ${app.key}`, 'Content-Type': 'application/pdf' }
        const init: RequestInit & { duplex: 'half' } = { method: 'PUT', headers, body, duplex: 'half' }
        const refused = await app.request(`/api/v1/agent/sessions/${sessionId}/deck`, init)
        assert.equal(refused.status, 503, refused.text)
        assert.equal(refused.body.code, 'temporarily_unavailable')
        assert.match(refused.body.detail, /no room for files at the moment\. Talks, questions and leads go on/)
        assert.equal(refused.headers.get('Retry-After'), '60')
        assert.equal(isRead, false)

        assert.equal((await app.api('POST', `/api/v1/agent/sessions/${sessionId}/publish`)).status, 200)
        assert.equal((await app.request('/readyz')).status, 200)
        const metrics = await app.request('/metrics', { headers: { Authorization: 'Bearer metrics-token' } })
        assert.match(metrics.text, /rostrum_disk_reserve_bytes \d{15}/)
        assert.match(metrics.text, /rostrum_disk_free_bytes [1-9]/)
      },
      nearlyFull,
    ))
})
