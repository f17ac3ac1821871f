// One delivery: what was sent, and each attempt on its timeline (now, +2 min, +30 min) with answer, duration and reason (Spec 3.3).
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { call } from '../data/api.ts'
import { orToast } from '../data/undoable.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import { atClock, duration, exactly } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { StatusWord } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { DeliveryStatusWord } from './delivery-status.tsx'
import { deliveryQuery } from './webhook-queries.ts'
import { type Attempt, type AttemptOutcome, type DeliveryDetail, type Trigger, whyWords } from './webhook-wire.ts'

async function sendAgain(deliveryId: string): Promise<void> {
  await call('redeliver', { deliveryId })
  await Promise.all([refresh('delivery', deliveryId), refresh('webhook')])
  showToast({ text: 'Sent again.' })
}

export function DeliveryDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const delivery = useQuery(deliveryQuery(id))
  return (
    <Dialog open side title={delivery.data?.event_type ?? 'Delivery'} closeLabel="Close" onClose={onClose}>
      <Loaded query={delivery} rows={5}>
        {(found) => (
          <div class="form">
            <p class="list-bar">
              <DeliveryStatusWord status={found.status} />
              <Button dense onClick={() => void orToast(sendAgain(id))}>
                Send again
              </Button>
            </p>
            <Timeline delivery={found} />
            <section class="request" aria-labelledby="request">
              <h3 id="request">Request</h3>
              <code class="well">
                {`content-type: application/json\nwebhook-id: ${found.webhook_id}\nwebhook-timestamp: of each attempt\nwebhook-signature: v1,...`}
              </code>
              {found.payload === undefined ? (
                <p class="muted">The body is not shown: it holds personal data that you may not read, or it was erased.</p>
              ) : (
                <code class="well">{JSON.stringify(found.posted ?? found.payload, null, 2)}</code>
              )}
            </section>
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

function Timeline({ delivery }: { delivery: DeliveryDetail }) {
  const firstAt = Date.parse(delivery.attempt_log[0]?.started_at ?? delivery.created_at)
  return (
    <ol class="timeline" aria-label="Attempts">
      {delivery.attempt_log.map((attempt) => (
        <AttemptRow key={`${attempt.n} ${attempt.started_at}`} attempt={attempt} firstAt={firstAt} />
      ))}
      {delivery.next_attempt_at !== undefined && (
        <li class="attempt">
          <p class="attempt-head">
            <StatusWord shape="ring" word="Next attempt" tone="wait" />
            <span class="small muted">
              <Time at={delivery.next_attempt_at} />
            </span>
          </p>
        </li>
      )}
      {delivery.status === 'failed' && <li class="attempt muted">No further attempts. Send it again by hand when the endpoint works.</li>}
    </ol>
  )
}

const shapes: Record<AttemptOutcome, { shape: 'dot' | 'cross' | 'dash'; word: string; tone?: 'live' | 'bad' }> = {
  succeeded: { shape: 'dot', word: 'Delivered', tone: 'live' },
  failed: { shape: 'cross', word: 'Failed', tone: 'bad' },
  blocked: { shape: 'cross', word: 'Not sent: blocked', tone: 'bad' },
  interrupted: { shape: 'dash', word: 'Interrupted' },
}

function AttemptRow({ attempt, firstAt }: { attempt: Attempt; firstAt: number }) {
  const startedAt = Date.parse(attempt.started_at)
  const took = Date.parse(attempt.ended_at) - startedAt
  return (
    <li class="attempt" data-testid="attempt" data-outcome={attempt.outcome}>
      <p class="attempt-head">
        <StatusWord {...shapes[attempt.outcome]} />
        <span class="small muted">
          {`Attempt ${attempt.n}${attempt.trigger === 'automatic' ? '' : `, ${triggers[attempt.trigger]}`}, `}
          <time dateTime={attempt.started_at} title={exactly(attempt.started_at)}>
            {atClock(attempt.started_at)}
          </time>
          {startedAt - firstAt >= 60_000 && ` (+${duration((startedAt - firstAt) / 1_000)})`}
        </span>
      </p>
      <p class="small muted">
        {[whyWords(attempt.reason, attempt.http_status), took < 1_000 ? `${took} ms` : `${(took / 1_000).toFixed(1)} s`]
          .filter((part) => part !== '')
          .join(', after ')}
      </p>
      {attempt.response !== undefined && attempt.response !== '' && (
        <details class="fold">
          <summary class="small">Response</summary>
          <code class="well">{attempt.response}</code>
        </details>
      )}
    </li>
  )
}

const triggers: Record<Exclude<Trigger, 'automatic'>, string> = { manual: 'sent by hand', recover: 'replayed', test: 'a test' }
