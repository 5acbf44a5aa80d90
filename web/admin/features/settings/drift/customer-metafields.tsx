import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { components } from '../../../shared/api/schema.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { metafieldDifferencesQuery } from '../queries.ts'
import { useSettingsTexts } from '../texts.ts'
import { NextPart, usePlace } from './next-part.tsx'

type Difference = components['schemas']['MetafieldDifference']

/** Metafields of customers and discounts that are not as they are to be; the platform is asked for a part of the customers at once. */
export function CustomerMetafields() {
  const { id: store } = useKnownStore()
  const [after] = usePlace('metafields')
  const found = useQuery(metafieldDifferencesQuery(store, after))
  const { drift } = useSettingsTexts()
  const { count } = useFormats()
  return (
    <Section title={drift.customers}>
      <Text size="sm" c="dimmed" maw={720}>
        {drift.customersText}
      </Text>
      <QueryView query={found}>
        {({ differences, compared, next }) => (
          <Stack gap="sm">
            <PlainTable
              label={drift.customers}
              rows={differences.filter(({ owner }) => owner !== 'shop')}
              keyOf={({ owner, platform_id, key }) => `${owner} ${platform_id} ${key}`}
              empty={drift.allWell}
              columns={[
                { title: drift.owner, cell: (one) => <Owner store={store} difference={one} /> },
                { title: drift.key, cell: ({ key }) => <code>{key}</code> },
                { title: drift.wanted, cell: ({ wanted }) => <Value text={wanted} /> },
                { title: drift.found, cell: ({ found }) => <Value text={found} /> },
                { title: drift.why, cell: ({ problem, last_error }) => problem ?? last_error ?? '–' }
              ]}
            />
            <Text size="xs" c="dimmed">
              {drift.compared(count(compared))}
            </Text>
            <NextPart name="metafields" next={next} />
          </Stack>
        )}
      </QueryView>
    </Section>
  )
}

function Owner({ store, difference }: { store: string; difference: Difference }) {
  const { drift } = useSettingsTexts()
  const { owner, platform_id } = difference
  if (owner !== 'customer' || platform_id === null) return `${drift.owners[owner] ?? owner} ${platform_id ?? ''}`
  return (
    <Anchor component={Link} to={`/stores/${store}/members/${platform_id}`} size="sm">
      {platform_id}
    </Anchor>
  )
}

const Value = ({ text }: { text: string | null }) =>
  text === null ? (
    '–'
  ) : (
    <Text size="sm" lineClamp={3} className="wrap-anywhere" miw={140} title={text.slice(0, 2000)}>
      {text}
    </Text>
  )
