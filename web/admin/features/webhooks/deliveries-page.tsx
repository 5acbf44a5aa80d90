import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { OlderLink, useBefore } from '../../shared/ui/lists/older-link.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { DeliveriesTable } from './deliveries/deliveries-table.tsx'
import { DeliveryFilters } from './deliveries/delivery-filters.tsx'
import { ResendFailed } from './deliveries/resend-failed.tsx'
import { useDeliveriesTexts } from './deliveries/texts.ts'
import { deliveriesQuery } from './queries.ts'
import { Tabs } from './tabs.tsx'

const FILTERS = ['event', 'status', 'endpoint', 'object', 'event_id', 'from', 'to'] as const

/** What was sent, to all endpoints. */
export function DeliveriesPage() {
  const { id } = useKnownStore()
  const [filters, change] = useSearchFilters(FILTERS)
  const deliveries = useQuery(deliveriesQuery(id, filters, useBefore()))
  const texts = useDeliveriesTexts()
  const { pages } = useTexts()
  const [isResending, setResending] = useState(false)
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <Page
      title={pages.webhooks}
      aside={
        <May permission="develop">
          <Button variant="default" onClick={() => setResending(true)}>
            {texts.bulk}
          </Button>
        </May>
      }
    >
      <Tabs />
      <Text>{texts.lead}</Text>
      <DeliveryFilters filters={filters} change={change} isFiltered={isFiltered} />
      <Section title={texts.list}>
        <QueryView query={deliveries} height={400}>
          {({ data, next }) => (
            <>
              {data.length === 0 ? (
                <EmptyState
                  title={isFiltered ? texts.nothing : texts.none}
                  text={isFiltered ? texts.nothingText : texts.noneText}
                />
              ) : (
                <DeliveriesTable deliveries={data} withEndpoint />
              )}
              <OlderLink next={next} />
            </>
          )}
        </QueryView>
      </Section>
      {isResending && <ResendFailed endpoint={filters.endpoint} onClose={() => setResending(false)} />}
    </Page>
  )
}
