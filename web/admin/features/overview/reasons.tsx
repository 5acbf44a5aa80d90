import { Progress, Stack, Text } from '@mantine/core'
import { useFormats } from '../../shared/format/formats.ts'
import { useCancelReason } from '../../shared/history/cancel-reasons.ts'
import { Section } from '../../shared/ui/section.tsx'
import type { Metrics } from './queries.ts'
import { useOverviewTexts } from './texts.ts'

/** Why subscriptions ended in the period, and what offers to those who were leaving did. */
export function Reasons({ metrics }: { metrics: Metrics }) {
  const texts = useOverviewTexts()
  const { count } = useFormats()
  const cancelReason = useCancelReason()
  const { by_reason, offers_shown, offers_accepted, saved } = metrics.churn
  const most = Math.max(...by_reason.map((one) => one.count))
  return (
    <Section title={texts.reasons}>
      {by_reason.length === 0 && <Text c="dimmed">{texts.noReasons}</Text>}
      {by_reason.map((one) => (
        <Stack key={one.reason} gap={2}>
          <Text size="sm" className="wrap-anywhere">
            {cancelReason(one.reason)} · {count(one.count)}
          </Text>
          <Progress value={(100 * one.count) / most} color="orange.7" aria-hidden />
        </Stack>
      ))}
      <Text size="sm" mt="xs">
        {texts.offers(count(offers_shown), count(offers_accepted), count(saved))}
      </Text>
    </Section>
  )
}
