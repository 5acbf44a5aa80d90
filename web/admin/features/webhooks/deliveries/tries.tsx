import { Stack, Text } from '@mantine/core'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import type { DeliveryDetail } from '../queries.ts'
import { useWebhooksTexts } from '../texts.ts'
import { useDeliveriesTexts } from './texts.ts'

/** Every try with what came back, the newest first. */
export function Tries({ tries }: { tries: DeliveryDetail['history'] }) {
  const { timezone } = useKnownStore()
  const texts = useDeliveriesTexts()
  const { statuses, failures } = useWebhooksTexts()
  const { count } = useFormats()
  const { tryColumns } = texts
  return (
    <Section title={texts.tries}>
      <PlainTable
        label={texts.tries}
        rows={tries.toReversed()}
        keyOf={({ number }) => String(number)}
        empty={texts.noTries}
        columns={[
          { title: tryColumns.number, cell: ({ number }) => count(number) },
          { title: tryColumns.at, cell: ({ started_at }) => <Instant at={started_at} zone={timezone} /> },
          {
            title: tryColumns.result,
            cell: ({ status, failure }) => (
              <Stack gap={0} miw={150} maw={320}>
                <StatusBadge status={status} names={statuses} />
                {failure && <Text size="xs">{failures[failure] ?? failure}</Text>}
              </Stack>
            )
          },
          { title: tryColumns.code, cell: ({ response_code }) => response_code ?? '–' },
          {
            title: tryColumns.duration,
            isNumber: true,
            cell: ({ response_time_ms: ms }) => (ms === null ? '–' : `${count(ms)} ms`)
          },
          {
            title: tryColumns.body,
            cell: ({ response_body }) => (
              <Text size="xs" ff="monospace" className="wrap-anywhere lines" miw={120} maw={420} lineClamp={8}>
                {response_body || '–'}
              </Text>
            )
          }
        ]}
      />
    </Section>
  )
}
