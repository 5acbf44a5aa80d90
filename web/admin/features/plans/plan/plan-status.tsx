import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { usePlansTexts } from '../texts.ts'

/** Whether a plan can be joined. */
export function PlanStatus({ status }: { status: string }) {
  const { statuses } = usePlansTexts()
  return <StatusBadge status={status} names={statuses} />
}
