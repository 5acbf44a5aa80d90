import { Group, Progress, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import { May } from '../../../shared/session/may.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { FailedTries } from './failed-tries.tsx'
import { type ReadInPart, readInQuery, startReadIn } from './queries.ts'
import { usePlatformTexts } from './texts.ts'

/** What the store had before it was connected: how far it is read, also after a reload, and the way to begin. */
export function ReadIn() {
  const { id: store } = useKnownStore()
  const found = useQuery(readInQuery(store))
  const { readIn: texts } = usePlatformTexts()
  return (
    <Section
      title={texts.title}
      aside={found.data && <StatusBadge status={found.data.status} names={texts.statuses} />}
    >
      <Text size="sm" c="dimmed" maw={720}>
        {texts.text}
      </Text>
      <QueryView query={found}>
        {(read) =>
          read === null ? (
            <Text size="sm">{texts.none}</Text>
          ) : (
            <Stack gap="md">
              {read.parts.map((part) => (
                <Part key={part.part} of={part} />
              ))}
              {!read.sees_all_orders && (
                <Text size="xs" c="dimmed" maw={720}>
                  {texts.recentOnly}
                </Text>
              )}
            </Stack>
          )
        }
      </QueryView>
      <May permission="develop">
        <Group>
          <ActionForm
            texts={texts.start}
            values={{ orders_days: '60' }}
            send={({ orders_days = '' }) => startReadIn(store, orders_days)}
          >
            {(field) => (
              <TextInput
                label={texts.days}
                description={texts.daysHelp}
                inputMode="numeric"
                data-autofocus
                {...field('orders_days')}
              />
            )}
          </ActionForm>
        </Group>
      </May>
    </Section>
  )
}

function Part({ of }: { of: ReadInPart }) {
  const { timezone } = useKnownStore()
  const { readIn: texts } = usePlatformTexts()
  const { count } = useFormats()
  const { part, status, since, lines, lines_read, seen, skipped, skipped_reason, failures, last_error, finished_at } =
    of
  const name = texts.parts[part] ?? part
  return (
    <Stack gap={4} role="group" aria-label={name}>
      <Group justify="space-between" gap="xs">
        <Text fw={500}>{name}</Text>
        <StatusBadge status={status} names={texts.partStatuses} />
      </Group>
      {lines > 0 && (
        <Progress.Root size="lg">
          <Progress.Section value={(100 * lines_read) / lines} aria-label={name} color="teal.7" />
        </Progress.Root>
      )}
      <Text size="sm" className="figure">
        {texts.read(count(seen))} {status === 'reading' && texts.lines(count(lines_read), count(lines))}
      </Text>
      {since !== null && (
        <Text size="xs" c="dimmed">
          {part === 'customers' ? texts.changes : texts.since} <Instant at={since} zone={timezone} />
        </Text>
      )}
      {finished_at !== null && (
        <Text size="xs" c="dimmed">
          {texts.finished} <Instant at={finished_at} zone={timezone} />
        </Text>
      )}
      {skipped > 0 && (
        <Text size="sm" className="wrap-anywhere">
          {texts.skipped(count(skipped))} {skipped_reason}
        </Text>
      )}
      <FailedTries failures={failures} error={last_error} />
    </Stack>
  )
}
