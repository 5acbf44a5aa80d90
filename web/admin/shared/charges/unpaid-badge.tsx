import { Badge } from '@mantine/core'
import { useTexts } from '../texts/language.tsx'

/** Says beside a status that a cycle was charged and not paid. */
export function UnpaidBadge() {
  const { unpaid } = useTexts()
  return (
    <Badge variant="dot" color="red" tt="none" fw={500} miw="max-content">
      {unpaid}
    </Badge>
  )
}
