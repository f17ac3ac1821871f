// Reads and acts of the webhook screens.
import { webClock } from '../../ui/clock.ts'
import { call, get } from '../data/api.ts'
import { cache, type Query, refresh } from '../data/use-query.ts'
import type { Delivery, DeliveryDetail, Endpoint } from './webhook-wire.ts'

export const webhooksPath = '/api/v1/webhooks'
export const webhookPath = (id: string, rest = ''): string => `${webhooksPath}/${encodeURIComponent(id)}${rest}`

export const endpointsQuery: Query<Endpoint[]> = {
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) => (await get<{ webhooks: Endpoint[] }>(webhooksPath, signal)).webhooks,
}

export const endpointQuery = (id: string): Query<Endpoint> => ({
  queryKey: ['webhook', id],
  queryFn: ({ signal }) => get(webhookPath(id), signal),
})

export interface DeliveryFilter {
  status?: string | undefined
  type?: string | undefined
}

export interface DeliveryPage {
  deliveries: Delivery[]
  nextCursor?: string | null
}

export const deliveriesQuery = (id: string, filter: DeliveryFilter): Query<DeliveryPage> => ({
  queryKey: ['webhook', id, 'deliveries', filter.status ?? '', filter.type ?? ''],
  queryFn: ({ signal }) => get(deliveriesPath(id, filter), signal),
  refetchInterval: 5_000,
})

export function deliveriesPath(id: string, { status, type }: DeliveryFilter, cursor?: string): string {
  const query = new URLSearchParams({
    limit: '50',
    ...(status ? { status } : {}),
    ...(type ? { type } : {}),
    ...(cursor === undefined ? {} : { cursor }),
  })
  return webhookPath(id, `/deliveries?${query.toString()}`)
}

export const deliveryQuery = (id: string): Query<DeliveryDetail> => ({
  queryKey: ['delivery', id],
  queryFn: ({ signal }) => get(`${webhooksPath}/deliveries/${encodeURIComponent(id)}`, signal),
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

export async function changeEndpoint(
  id: string,
  change: Partial<Pick<Endpoint, 'status' | 'url' | 'event_types'>> & { token?: string },
): Promise<void> {
  await call('PATCH', webhookPath(id), { body: change })
  await refreshEndpoint(id)
}

export async function refreshEndpoint(id: string): Promise<void> {
  await Promise.all([refresh('webhooks'), refresh('webhook', id)])
}
