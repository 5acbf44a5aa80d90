import { SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { recoveryQuery } from './queries.ts'
import { useBillingTexts } from './texts.ts'

/** What dunning does and what it brought back. */
export function Recovery() {
  const { id, currency } = useKnownStore()
  const found = useQuery(recoveryQuery(id))
  const texts = useBillingTexts()
  const { money, count, share } = useFormats()
  return (
    <QueryView query={found} height={90}>
      {({ billing }) => (
        <div>
          <SimpleGrid cols={{ base: 2, md: 4 }}>
            {[
              [texts.recovered, money(billing.recovered_amount, currency)],
              [texts.atRisk, money(billing.at_risk_amount, currency)],
              [texts.failed, count(billing.failed)],
              [texts.rate, billing.success_rate === null ? '–' : share(billing.success_rate)]
            ].map(([label, value]) => (
              <div key={label}>
                <Text size="sm" c="dimmed">
                  {label}
                </Text>
                <Text size="lg" fw={600} className="figure">
                  {value}
                </Text>
              </div>
            ))}
          </SimpleGrid>
          <Text size="xs" c="dimmed" mt="xs">
            {texts.recoveryText}
          </Text>
        </div>
      )}
    </QueryView>
  )
}
