import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import type { Endpoint } from '../queries.ts'
import { useWebhooksTexts } from '../texts.ts'

/** Enabled, disabled, or enabled and failing. */
export function EndpointState({ endpoint }: { endpoint: Pick<Endpoint, 'status' | 'failing_since'> }) {
  const { endpointStatuses } = useWebhooksTexts()
  const { status, failing_since } = endpoint
  return <StatusBadge status={status === 'enabled' && failing_since ? 'failing' : status} names={endpointStatuses} />
}
