import { Stack } from '@mantine/core'
import { useTexts } from '../../shared/texts/language.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { Alerts } from './alerts.tsx'
import { MetricFilters } from './metric-filters.tsx'
import { Metrics } from './metrics.tsx'
import { Problems } from './problems.tsx'

/** How a store is: its members, what needs attention, and what the service has told its people. */
export function OverviewPage() {
  const { pages } = useTexts()
  return (
    <Page title={pages.overview} aside={<MetricFilters />}>
      <Stack gap="lg">
        <Problems />
        <Metrics />
        <Alerts />
      </Stack>
    </Page>
  )
}
