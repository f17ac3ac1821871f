// The status of a delivery as a word with a shape.
import { StatusWord } from '../parts/status.tsx'
import { type DeliveryStatus, deliveryWords } from './webhook-wire.ts'

export function DeliveryStatusWord({ status }: { status: DeliveryStatus }) {
  const word = deliveryWords[status]
  if (status === 'succeeded') return <StatusWord shape="dot" word={word} tone="live" />
  if (status === 'failed') return <StatusWord shape="cross" word={word} tone="bad" />
  if (status === 'skipped' || status === 'canceled') return <StatusWord shape="dash" word={word} />
  return <StatusWord shape="ring" word={word} tone="wait" />
}
