import { Badge } from '@mantine/core'
import { useChargeTexts } from './texts.ts'

/** Says beside a status that a cycle was charged and not paid. */
export function UnpaidBadge() {
  const { unpaid } = useChargeTexts()
  return (
    <Badge variant="dot" color="red" tt="none" fw={500} miw="max-content">
      {unpaid}
    </Badge>
  )
}
