import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useKnownStore } from '../../shared/api/stores.ts'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { IntegrationForm } from './rewards/integration-form.tsx'
import { IntegrationsTable } from './rewards/integrations-table.tsx'
import { type Integration, integrationsQuery } from './rewards/queries.ts'
import { useRewardsTexts } from './rewards/texts.ts'
import { Tabs } from './tabs.tsx'

/** Services that keep reward points for the shop. */
export function RewardPointsPage() {
  const { id } = useKnownStore()
  const integrations = useQuery(integrationsQuery(id))
  const texts = useRewardsTexts()
  const { pages } = useTexts()
  const [edited, setEdited] = useState<Integration | 'new' | null>(null)
  return (
    <Page
      title={pages.integrations}
      aside={
        <May permission="develop">
          <Button onClick={() => setEdited('new')}>{texts.add}</Button>
        </May>
      }
    >
      <Tabs />
      <Text>{texts.lead}</Text>
      <Section title={texts.list}>
        <QueryView query={integrations}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState title={texts.none} text={texts.noneText} />
            ) : (
              <IntegrationsTable integrations={all} onEdit={setEdited} />
            )
          }
        </QueryView>
      </Section>
      {edited && <IntegrationForm integration={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Page>
  )
}
