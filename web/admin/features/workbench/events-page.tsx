import { Grid, Text } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { useBefore } from '../../shared/ui/lists/older-link.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { EventDetail } from './event-detail.tsx'
import { EventFilters } from './event-filters.tsx'
import { LatestEvents, OlderEvents } from './event-lists.tsx'
import { Tabs } from './tabs.tsx'
import { useWorkbenchTexts } from './texts.ts'

const FILTERS = ['type', 'customer', 'request'] as const

/** What happened, as it happens; and the event that the address names. */
export function EventsPage() {
  const [filters, change] = useSearchFilters(FILTERS)
  const [search] = useSearchParams()
  const before = Number(useBefore())
  const chosen = Number(search.get('sequence'))
  const [isLive, setLive] = useState(true)
  const texts = useWorkbenchTexts()
  const { pages } = useTexts()
  return (
    <Page title={pages.workbench}>
      <Tabs />
      <Text>{texts.eventsLead}</Text>
      <EventFilters filters={filters} change={change} />
      <Grid gap="lg">
        {/* On a narrow screen what was chosen is above the list. */}
        <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 2, md: 1 }}>
          {before > 0 ? (
            <OlderEvents filters={filters} before={before} />
          ) : (
            <LatestEvents filters={filters} isLive={isLive} setLive={setLive} />
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 1, md: 2 }}>
          <EventDetail sequence={chosen > 0 ? chosen : null} />
        </Grid.Col>
      </Grid>
    </Page>
  )
}
