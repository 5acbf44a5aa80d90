import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { components } from '../../../shared/api/schema.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { May } from '../../../shared/session/may.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { syncTags, tagDifferencesQuery } from '../queries.ts'
import { useSettingsTexts } from '../texts.ts'
import { NextPart, usePlace } from './next-part.tsx'

type TagOwner = components['schemas']['TagOwner']

/** Customers and orders whose tags are not as they are to be. */
export function TagDifferences() {
  const { id: store } = useKnownStore()
  const [after] = usePlace('tags')
  const found = useQuery(tagDifferencesQuery(store, after))
  const { drift, syncTags: texts } = useSettingsTexts()
  const { count } = useFormats()
  return (
    <Section title={drift.tags}>
      <Text size="sm" c="dimmed" maw={720}>
        {drift.tagsText}
      </Text>
      <May permission="develop">
        <Group>
          <ConfirmButton {...texts} change={() => syncTags(store)} />
        </Group>
      </May>
      <QueryView query={found}>
        {({ data, compared, next }) => (
          <Stack gap="sm">
            <PlainTable
              label={drift.tags}
              rows={data}
              keyOf={({ kind, platform_id }) => `${kind} ${platform_id}`}
              empty={drift.allWellTags}
              columns={[
                { title: drift.owner, cell: (one) => <Owner store={store} owner={one} /> },
                { title: drift.missing, cell: ({ missing }) => missing.join(', ') || '–' },
                { title: drift.surplus, cell: ({ surplus }) => surplus.join(', ') || '–' },
                { title: drift.why, cell: ({ problem, last_error }) => problem ?? last_error ?? '–' }
              ]}
            />
            <Text size="xs" c="dimmed">
              {drift.compared(count(compared))}
            </Text>
            <NextPart name="tags" next={next} />
          </Stack>
        )}
      </QueryView>
    </Section>
  )
}

function Owner({ store, owner }: { store: string; owner: TagOwner }) {
  const { drift } = useSettingsTexts()
  const { kind, platform_id } = owner
  if (kind !== 'customer') return `${drift.owners[kind] ?? kind} ${platform_id}`
  return (
    <Anchor component={Link} to={`/stores/${store}/members/${platform_id}`} size="sm">
      {platform_id}
    </Anchor>
  )
}
