// One delivery: what was sent, and each attempt on its timeline (now, +2 min, +30 min) with answer, duration and reason (Spec 3.3).
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { call } from '../api.ts'
import { atClock, exactly } from '../format.ts'
import { Loaded } from '../loaded.tsx'
import { StatusWord } from '../status.tsx'
import { Time } from '../time.tsx'
import { orToast } from '../undoable.ts'
import { refresh, useQuery } from '../use-query.ts'
import { deliveryQuery, webhooksPath } from '../webhook-queries.ts'
import type { Attempt, AttemptOutcome, DeliveryDetail } from '../webhook-wire.ts'
import { whyWords } from '../webhook-wire.ts'
import { DeliveryStatusWord } from '../delivery-status.tsx'

async function sendAgain(id: string): Promise<void> {
  await call('POST', `${webhooksPath}/deliveries/${encodeURIComponent(id)}/redeliver`)
  await Promise.all([refresh('delivery', id), refresh('webhook')])
  showToast({ text: 'Sent again.' })
}

export function DeliveryDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const delivery = useQuery(deliveryQuery(id))
  return (
    <Dialog open wide title={delivery.data?.event_type ?? 'Delivery'} closeLabel="Close" onClose={onClose}>
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
            <div>
              <h3>Body</h3>
              {found.payload === undefined ? (
                <p class="muted">Not shown: it holds personal data that you may not read, or it was erased.</p>
              ) : (
                <code class="well">{JSON.stringify(found.payload, null, 2)}</code>
              )}
              <p class="small muted">
                Sent with <code>webhook-id</code> {found.webhook_id}, <code>webhook-timestamp</code> and <code>webhook-signature</code>.
              </p>
            </div>
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

function Timeline({ delivery }: { delivery: DeliveryDetail }) {
  return (
    <ol class="timeline" aria-label="Attempts">
      {delivery.attempt_log.map((attempt) => (
        <AttemptRow key={`${attempt.n} ${attempt.started_at}`} attempt={attempt} />
      ))}
      {delivery.next_attempt_at !== undefined && (
        <li class="attempt">
          <StatusWord shape="ring" word="Next attempt" tone="wait" /> <Time at={delivery.next_attempt_at} />
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

function AttemptRow({ attempt }: { attempt: Attempt }) {
  const took = Date.parse(attempt.ended_at) - Date.parse(attempt.started_at)
  return (
    <li class="attempt" data-testid="attempt" data-outcome={attempt.outcome}>
      <p>
        <StatusWord {...shapes[attempt.outcome]} />{' '}
        <time class="muted" dateTime={attempt.started_at} title={exactly(attempt.started_at)}>
          {atClock(attempt.started_at)}
        </time>
        <span class="muted">
          {[
            `attempt ${attempt.n}`,
            attempt.trigger === 'automatic' ? '' : attempt.trigger,
            took < 1_000 ? `${took} ms` : `${(took / 1_000).toFixed(1)} s`,
            whyWords(attempt.reason, attempt.http_status),
          ]
            .filter((part) => part !== '')
            .map((part) => `, ${part}`)
            .join('')}
        </span>
      </p>
      {attempt.response !== undefined && attempt.response !== '' && (
        <details class="fold">
          <summary>Response</summary>
          <code class="well">{attempt.response}</code>
        </details>
      )}
    </li>
  )
}
