// Webhook endpoints: where signed events go, how each is doing, and why one was switched off (Spec 6).
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { Empty } from '../../ui/empty.tsx'
import { Menu } from '../../ui/menu.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { call } from '../data/api.ts'
import { doneWithUndo } from '../data/undoable.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import { ConfirmName } from '../parts/confirm-name.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { StatusWord } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { OpenButton } from '../parts/open-button.tsx'
import { AddEndpoint } from './add-endpoint.tsx'
import { changeEndpoint, endpointsQuery } from './webhook-queries.ts'
import { deliveryWords, disabledWords, type Endpoint, eventTypes, formats } from './webhook-wire.ts'

const columns: readonly Column<Endpoint>[] = [
  {
    name: 'url',
    head: 'Endpoint',
    rowHead: true,
    cell: (endpoint) => (
      <a class="row-link endpoint-url" href={`/dashboard/webhooks/${endpoint.id}`}>
        <InParts text={endpoint.url} />
      </a>
    ),
  },
  { name: 'status', head: 'Status', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
  { name: 'format', head: 'Sent as', cell: ({ format }) => formats.find(({ value }) => value === format)?.short },
  { name: 'events', head: 'Events', cell: ({ event_types }) => eventsOf(event_types) },
  { name: 'last', head: 'Last delivery', cell: (endpoint) => <LastDelivery endpoint={endpoint} /> },
  { name: 'acts', head: 'Actions', hideHead: true, cell: (endpoint) => <EndpointActions endpoint={endpoint} /> },
]

function eventsOf(wanted: readonly string[]): string {
  const others = eventTypes.map(({ name }) => name).filter((name) => !wanted.includes(name))
  return others.length === 0 ? 'All' : others.length === 1 ? `All but ${others[0]}` : wanted.join(', ')
}

export function Webhooks() {
  const endpoints = useQuery(endpointsQuery)
  return (
    <>
      <PageHead
        title="Webhooks"
        lead="Events as they happen, for your servers, a chat or HubSpot. A failed delivery is tried again after two and thirty minutes."
        actions={
          <OpenButton kind="primary" opens={(onClose) => <AddEndpoint onClose={onClose} />}>
            Add endpoint
          </OpenButton>
        }
      />
      <Loaded query={endpoints} rows={3}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              title="No endpoints yet"
              text="Add the address of a server, or of a Slack, Teams or Discord channel, that should hear when a talk starts, someone joins or a lead comes in."
              example={['https://crm.example.com/rostrum', 'Enabled', 'Signed JSON', 'lead.captured', 'Succeeded, 2 minutes ago']}
            />
          ) : (
            <Table
              caption="Endpoints"
              columns={columns}
              rows={all}
              rowKey={({ id }) => id}
              rowProps={({ status }) => ({ 'data-testid': 'endpoint', 'data-status': status })}
            />
          )
        }
      </Loaded>
    </>
  )
}

/** An address or a name of an event: broken after its marks, inside a word only where a part is longer than its column. */
export const InParts = ({ text }: { text: string }) => (
  <>
    {text.split(/(?<=[/.-])(?=\w)/).map((part, index) => (
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </>
)

export function EndpointStatus({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.status === 'disabled') {
    return (
      <span>
        <StatusWord shape="dash" word="Disabled:" /> <span class="muted">{disabledWords[endpoint.disabled_reason ?? 'manual']}</span>
      </span>
    )
  }
  if (endpoint.failing_since === undefined) return <StatusWord shape="dot" word="Enabled" tone="live" />
  return (
    <span>
      <StatusWord shape="cross" word="Failing" tone="bad" />{' '}
      <span class="muted">
        since <Time at={endpoint.failing_since} />
      </span>
    </span>
  )
}

function LastDelivery({ endpoint: { last_delivery } }: { endpoint: Endpoint }) {
  if (last_delivery === undefined) return <span class="muted">None yet</span>
  return (
    <>
      {deliveryWords[last_delivery.status]}, <Time at={last_delivery.at} />
    </>
  )
}

export function switchEndpoint({ id, status }: Endpoint): Promise<void> {
  const isOn = status === 'enabled'
  return doneWithUndo(
    isOn ? 'Endpoint disabled.' : 'Endpoint enabled.',
    () => changeEndpoint(id, { status: isOn ? 'disabled' : 'enabled' }),
    () => changeEndpoint(id, { status }),
  )
}

function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div class="cell-actions">
      <Menu
        label={`More for ${endpoint.url}`}
        dense
        items={[
          { label: 'Deliveries', href: `/dashboard/webhooks/${endpoint.id}` },
          { label: endpoint.status === 'enabled' ? 'Disable' : 'Enable', onSelect: () => void switchEndpoint(endpoint) },
          { label: 'Delete', danger: true, onSelect: () => setDeleting(true) },
        ]}
      >
        <span aria-hidden="true">⋯</span>
      </Menu>
      {isDeleting && <DeleteEndpoint endpoint={endpoint} onClose={() => setDeleting(false)} />}
    </div>
  )
}

async function remove(id: string): Promise<void> {
  await call('delete_webhook_at_path', { id })
  await refresh('webhooks')
}

function DeleteEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  return (
    <ConfirmName
      act="Delete"
      title="Delete this endpoint?"
      name={URL.parse(endpoint.url)?.host ?? endpoint.url}
      nameLabel="Type its host"
      onClose={onClose}
      onConfirm={() => remove(endpoint.id)}
    >
      <p>
        Nothing more is sent there and its delivery log goes. <strong>This cannot be undone.</strong>
      </p>
    </ConfirmName>
  )
}
