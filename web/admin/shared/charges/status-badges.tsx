import { Badge, Group } from '@mantine/core'
import { StatusBadge } from '../ui/status-badge.tsx'
import { useChargeTexts } from './texts.ts'

type Props = { status: string; names: Record<string, string>; isUnpaid: boolean }

/** The status of a subscription or member, and beside an active one that a cycle was charged and not paid. */
export function StatusBadges({ status, names, isUnpaid }: Props) {
  const { unpaid } = useChargeTexts()
  return (
    <Group gap={4}>
      <StatusBadge status={status} names={names} />
      {status === 'active' && isUnpaid && (
        <Badge variant="dot" color="red" tt="none" fw={500} miw="max-content">
          {unpaid}
        </Badge>
      )}
    </Group>
  )
}
