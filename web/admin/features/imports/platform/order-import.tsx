import { Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import { May } from '../../../shared/session/may.tsx'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { FailedTries } from './failed-tries.tsx'
import { orderImportQuery, startOrderImport } from './queries.ts'
import { usePlatformTexts } from './texts.ts'

/** Orders that changed on the platform since a date: how far they are read, also after a reload, and the way to begin. */
export function OrderImport() {
  const { id: store, timezone } = useKnownStore()
  const found = useQuery(orderImportQuery(store))
  const { orders: texts } = usePlatformTexts()
  const { count } = useFormats()
  return (
    <Section
      title={texts.title}
      aside={found.data && <StatusBadge status={found.data.status} names={texts.statuses} />}
    >
      <Text size="sm" c="dimmed" maw={720}>
        {texts.text}
      </Text>
      <QueryView query={found}>
        {(last) =>
          last === null ? (
            <Text size="sm">{texts.none}</Text>
          ) : (
            <Stack gap="sm">
              <FactList
                facts={[
                  [texts.since, <Instant key="since" at={last.since} zone={timezone} />],
                  [texts.seen, count(last.seen)],
                  [texts.changed, count(last.changed)],
                  [texts.finished, last.finished_at && <Instant key="end" at={last.finished_at} zone={timezone} />]
                ]}
              />
              <FailedTries failures={last.failures} error={last.last_error} />
            </Stack>
          )
        }
      </QueryView>
      <May permission="manage">
        <Group>
          <ActionForm
            texts={texts.start}
            values={{ since: '' }}
            send={({ since = '' }) => startOrderImport(store, since)}
          >
            {(field) => (
              <TextInput
                type="date"
                label={texts.day}
                description={texts.dayHelp}
                data-autofocus
                required
                {...field('since')}
              />
            )}
          </ActionForm>
        </Group>
      </May>
    </Section>
  )
}
