import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import type { Delivery } from '../queries.ts'
import { useWebhooksTexts } from '../texts.ts'

export function DeliveryStatus({ delivery: { status, cancelled } }: { delivery: Delivery }) {
  const texts = useWebhooksTexts()
  return <StatusBadge status={status} names={cancelled ? { failed: texts.cancelled } : texts.statuses} />
}
