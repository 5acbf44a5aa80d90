import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { shopMetafieldsQuery } from '../queries.ts'
import { useSettingsTexts } from '../texts.ts'
import { CustomerMetafields } from './customer-metafields.tsx'
import { RawMetafield } from './raw-metafield.tsx'
import { SyncButton } from './sync-button.tsx'
import { TagDifferences } from './tag-differences.tsx'

/** What the service keeps on the platform, and where somebody else has changed it. */
export function DriftPart() {
  return (
    <Stack gap="lg">
      <ShopMetafields />
      <CustomerMetafields />
      <TagDifferences />
    </Stack>
  )
}

function ShopMetafields() {
  const { id } = useKnownStore()
  const metafields = useQuery(shopMetafieldsQuery(id))
  const { drift } = useSettingsTexts()
  return (
    <Section title={drift.shop}>
      <Text size="sm" c="dimmed" maw={720}>
        {drift.shopText}
      </Text>
      <Group>
        <SyncButton />
      </Group>
      <QueryView query={metafields} height={300}>
        {({ data, waiting, problem }) => (
          <Stack>
            {problem !== null && (
              <Text size="sm" className="bad-news wrap-anywhere">
                {problem}
              </Text>
            )}
            {data
              .toSorted((a, b) => Number(a.in_step) - Number(b.in_step))
              .map((metafield) => (
                <RawMetafield key={metafield.key} metafield={metafield} isWaiting={waiting} />
              ))}
          </Stack>
        )}
      </QueryView>
    </Section>
  )
}
