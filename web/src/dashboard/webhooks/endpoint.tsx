// One endpoint: its deliveries, each with its attempts; test, rotate, replay.
import { useLocation } from 'preact-iso/router'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { call, Problem } from '../data/api.ts'
import { orToast } from '../data/undoable.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { OpenButton } from '../parts/open-button.tsx'
import { NotFound } from '../session/not-found.tsx'
import { DeliveryStatusWord } from './delivery-status.tsx'
import { DeliveryStrip } from './delivery-strip.tsx'
import { DeliveryDialog } from './delivery.tsx'
import { ReplayRange } from './replay-range.tsx'
import { NewToken, RotateSecret } from './rotate-secret.tsx'
import { deliveriesQuery, endpointQuery, outcomeOf } from './webhook-queries.ts'
import {
  type Delivery,
  deliveryWords,
  type Endpoint as EndpointRecord,
  eventTypes,
  type EventType,
  formats,
  statuses,
  whyWords,
} from './webhook-wire.ts'
import { EndpointStatus, InParts, switchEndpoint } from './webhooks.tsx'

const columns = (href: (delivery: Delivery) => string): readonly Column<Delivery>[] => [
  {
    name: 'event',
    head: 'Event',
    rowHead: true,
    cell: (delivery) => (
      <a class="row-link" href={href(delivery)}>
        <code>
          <InParts text={delivery.event_type} />
        </code>
      </a>
    ),
  },
  { name: 'status', head: 'Status', cell: ({ status }) => <DeliveryStatusWord status={status} /> },
  {
    name: 'why',
    head: 'Answer',
    cell: ({ last_reason, last_http_status }) => <span class="muted">{whyWords(last_reason, last_http_status)}</span>,
  },
  { name: 'attempts', head: 'Attempts', number: true, cell: ({ attempts }) => attempts },
  {
    name: 'next',
    head: 'Next attempt',
    cell: ({ next_attempt_at }) => (next_attempt_at === undefined ? '' : <Time at={next_attempt_at} />),
  },
  { name: 'at', head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
]

export function Endpoint({ id }: { id: string }) {
  const endpoint = useQuery(endpointQuery(id))
  if (endpoint.error instanceof Problem && endpoint.error.status === 404) return <NotFound />
  return (
    <>
      <PageHead
        title={endpoint.data === undefined ? 'Endpoint' : (URL.parse(endpoint.data.url)?.host ?? endpoint.data.url)}
        tab="Webhooks"
        above={
          <p class="crumb">
            <a href="/dashboard/webhooks">Webhooks</a>
          </p>
        }
        lead={endpoint.data?.url}
        actions={endpoint.data && <Acts endpoint={endpoint.data} />}
      />
      <Loaded query={endpoint}>
        {(found) => (
          <>
            <p class="endpoint-standing">
              <EndpointStatus endpoint={found} />{' '}
              <span class="muted">
                {found.format === 'standard'
                  ? `Secret ends in ${found.secret_hint}`
                  : formats.find(({ value }) => value === found.format)?.label}
              </span>
              {found.previous_secret_expires_at !== undefined && (
                <span class="muted">
                  The old secret signs too until <Time at={found.previous_secret_expires_at} />
                </span>
              )}
            </p>
            {found.status === 'disabled' && (
              <div class="note note-amber endpoint-off">
                <p>Nothing is sent to it. Events that happen meanwhile are kept as skipped.</p>
                <p>When the server works again, enable the endpoint and replay what it missed.</p>
              </div>
            )}
            <Deliveries id={id} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Acts({ endpoint }: { endpoint: EndpointRecord }) {
  const test = async (event_type?: EventType) => {
    const sent = await call('test_webhook', { id: endpoint.id, ...(event_type !== undefined && { event_type }) })
    await refresh('webhook', endpoint.id)
    const hide = showToast({ text: 'Test event queued. Waiting for the endpoint to take it.', lifeMs: 60_000 })
    const outcome = await outcomeOf(sent.delivery_id)
    hide()
    showToast({ text: outcome })
    await refresh('webhook', endpoint.id)
  }
  const isChat = endpoint.format !== 'standard' && endpoint.format !== 'hubspot'
  return (
    <>
      <Button onClick={() => void orToast(test())}>{isChat ? 'Send test message' : 'Send test event'}</Button>
      {endpoint.format !== 'hubspot' && (
        <Menu
          label="Send an example"
          items={endpoint.event_types.map((name) => ({ label: name, onSelect: () => void orToast(test(name)) }))}
        >
          Example
        </Menu>
      )}
      <OpenButton disabled={endpoint.status === 'disabled'} opens={(onClose) => <ReplayRange endpoint={endpoint} onClose={onClose} />}>
        Replay
      </OpenButton>
      {endpoint.format === 'hubspot' ? (
        <OpenButton opens={(onClose) => <NewToken endpoint={endpoint} onClose={onClose} />}>New token</OpenButton>
      ) : (
        !isChat && <OpenButton opens={(onClose) => <RotateSecret endpoint={endpoint} onClose={onClose} />}>Rotate secret</OpenButton>
      )}
      <Button kind={endpoint.status === 'enabled' ? 'plain' : 'primary'} onClick={() => void switchEndpoint(endpoint)}>
        {endpoint.status === 'enabled' ? 'Disable' : 'Enable'}
      </Button>
    </>
  )
}

function Deliveries({ id }: { id: string }) {
  const { query, route } = useLocation()
  const [status, type] = [statuses.find((each) => each === query['status']), eventTypes.find(({ name }) => name === query['type'])?.name]
  const filter = { status, type }
  const page = useQuery(deliveriesQuery(id, filter))
  const href = (next: Record<string, string | undefined>) => {
    const entries = Object.entries<string | undefined>({ ...filter, ...next }).filter((entry): entry is [string, string] =>
      Boolean(entry[1]),
    )
    const params = new URLSearchParams(entries).toString()
    return `/dashboard/webhooks/${id}${params === '' ? '' : `?${params}`}`
  }
  return (
    <section class="deliveries" aria-labelledby="deliveries">
      <div class="list-bar">
        <h2 id="deliveries">Deliveries</h2>
        <div class="actions">
          <select class="input filter" aria-label="Status" onChange={(event) => route(href({ status: event.currentTarget.value }), true)}>
            <option value="">Every status</option>
            {statuses.map((each) => (
              <option key={each} value={each} selected={each === status}>
                {deliveryWords[each]}
              </option>
            ))}
          </select>
          <select class="input filter" aria-label="Event" onChange={(event) => route(href({ type: event.currentTarget.value }), true)}>
            <option value="">Every event</option>
            {eventTypes.map(({ name }) => (
              <option key={name} value={name} selected={name === type}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
      <Loaded query={page}>
        {({ deliveries, nextCursor }) =>
          deliveries.length === 0 ? (
            <p class="muted empty">
              {filter.status || filter.type ? 'No delivery matches.' : 'Nothing has been sent yet. Send a test event to try it.'}
            </p>
          ) : (
            <>
              <DeliveryStrip deliveries={deliveries} />
              <Table
                keepsRows
                caption="Deliveries of this endpoint"
                columns={columns((delivery) => href({ delivery: delivery.id }))}
                rows={deliveries}
                rowKey={(delivery) => delivery.id}
                rowProps={({ status }) => ({ 'data-testid': 'delivery', 'data-status': status })}
              />
              {nextCursor && <p class="muted small">The newest {deliveries.length} are shown. Narrow them by status or event.</p>}
            </>
          )
        }
      </Loaded>
      {query['delivery'] !== undefined && <DeliveryDialog id={query['delivery']} onClose={() => route(href({}), true)} />}
    </section>
  )
}
