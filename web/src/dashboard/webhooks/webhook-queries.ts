// Reads and acts of the webhook screens.
import type { InputOf, OutputOf } from '../../../../client/operations.ts'
import { webClock } from '../../ui/clock.ts'
import { call } from '../data/api.ts'
import { cache, type Query, refresh } from '../data/use-query.ts'
import type { Delivery, DeliveryDetail, Endpoint } from './webhook-wire.ts'

export const endpointsQuery: Query<Endpoint[]> = {
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) => (await call('list_webhooks', {}, { signal })).webhooks,
}

export const endpointQuery = (id: string): Query<Endpoint> => ({
  queryKey: ['webhook', id],
  queryFn: ({ signal }) => call('get_webhook', { id }, { signal }),
})

export type DeliveryFilter = Partial<Pick<InputOf<'list_deliveries'>, 'status' | 'type'>>

export const deliveriesQuery = (id: string, filter: DeliveryFilter): Query<OutputOf<'list_deliveries'>> => ({
  queryKey: ['webhook', id, 'deliveries', filter.status ?? '', filter.type ?? ''],
  queryFn: ({ signal }) => call('list_deliveries', { id, ...filter, limit: 50 }, { signal }),
  refetchInterval: 5_000,
})

export const deliveryQuery = (deliveryId: string): Query<DeliveryDetail> => ({
  queryKey: ['delivery', deliveryId],
  queryFn: ({ signal }) => call('get_delivery', { deliveryId }, { signal }),
  refetchInterval: ({ state }) => (state.data !== undefined && isOpen(state.data) ? 2_000 : false),
})

const isOpen = ({ status }: Delivery) => status === 'pending' || status === 'in_flight' || status === 'retry_scheduled'

const looksMost = 20

/** What became of a delivery, in words, as soon as it is known: what is queued has not arrived yet. */
export async function outcomeOf(id: string): Promise<string> {
  for (let look = 0; look < looksMost; look++) {
    const { status } = await cache.fetchQuery({ ...deliveryQuery(id), staleTime: 0 })
    if (status === 'succeeded') return 'Test event arrived.'
    if (status === 'retry_scheduled') return 'The endpoint did not take the test event. It is sent again later.'
    if (status !== 'pending' && status !== 'in_flight') return 'The endpoint did not take the test event.'
    await new Promise<void>((looked) => webClock.after(1_000, looked))
  }
  return 'The test event still waits. It is in the list below.'
}

export async function changeEndpoint(id: string, change: Omit<InputOf<'update_webhook'>, 'id'>): Promise<void> {
  await call('update_webhook', { id, ...change })
  await refreshEndpoint(id)
}

export async function refreshEndpoint(id: string): Promise<void> {
  await Promise.all([refresh('webhooks'), refresh('webhook', id)])
}
