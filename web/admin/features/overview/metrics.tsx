import { Grid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useKnownStore } from '../../shared/api/stores.ts'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Figures } from './figures.tsx'
import { usePeriod } from './period.ts'
import { metricsQuery } from './queries.ts'
import { Reasons } from './reasons.tsx'

// Charts come after the figures: their library is as large as the rest of the page.
const Charts = lazy(async () => ({ default: (await import('./charts.tsx')).Charts }))

/** What the store and its members did in the period, beside the period before. */
export function Metrics() {
  const { id } = useKnownStore()
  const { period, plan } = usePeriod()
  const metrics = useQuery(metricsQuery(id, period, plan))
  return (
    <QueryView query={metrics} height={520}>
      {(known) => (
        <Stack gap="lg" aria-busy={metrics.isPlaceholderData}>
          <Figures metrics={known} />
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Suspense fallback={<div className="chart-place" />}>
                <Charts metrics={known} />
              </Suspense>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Reasons metrics={known} />
            </Grid.Col>
          </Grid>
        </Stack>
      )}
    </QueryView>
  )
}
