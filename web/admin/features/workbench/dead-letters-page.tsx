import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { components } from '../../shared/api/schema.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useMay } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { ConfirmButton } from '../../shared/ui/confirm-button.tsx'
import { CopyId } from '../../shared/ui/copy-id.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { OlderLink, useBefore } from '../../shared/ui/lists/older-link.tsx'
import { type Column, PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { deadLettersQuery, retryDeadLetter } from './queries.ts'
import { Tabs } from './tabs.tsx'
import { useWorkbenchTexts } from './texts.ts'

type DeadLetter = components['schemas']['DeadLetter']

/** Events that a part of the service could not handle. */
export function DeadLettersPage() {
  const { id, timezone } = useKnownStore()
  const letters = useQuery(deadLettersQuery(id, useBefore()))
  const texts = useWorkbenchTexts()
  const { pages } = useTexts()
  const { count } = useFormats()
  const mayRetry = useMay('develop')
  const { letterColumns } = texts
  const columns: Column<DeadLetter>[] = [
    {
      title: letterColumns.fact,
      cell: (letter) => (
        <Stack gap={0}>
          <Text size="sm">{letter.fact}</Text>
          <CopyId value={letter.id} />
        </Stack>
      )
    },
    { title: letterColumns.consumer, cell: ({ consumer }) => <code>{consumer}</code> },
    {
      title: letterColumns.error,
      cell: ({ error }) => (
        <Text size="sm" className="wrap-anywhere" lineClamp={6} miw={220} maw={420}>
          {error}
        </Text>
      )
    },
    { title: letterColumns.attempts, isNumber: true, cell: ({ attempts }) => count(attempts) },
    { title: letterColumns.at, cell: ({ occurred_at }) => <Instant at={occurred_at} zone={timezone} /> },
    { title: letterColumns.dead, cell: ({ dead_at }) => <Instant at={dead_at} zone={timezone} /> }
  ]
  const retry: Column<DeadLetter> = {
    title: letterColumns.actions,
    cell: (letter) => (
      <ConfirmButton
        label={texts.retry}
        title={texts.retryTitle(letter.id)}
        text={texts.retryText}
        change={() => retryDeadLetter(id, letter.id)}
        done={texts.retried}
      />
    )
  }
  return (
    <Page title={pages.workbench}>
      <Tabs />
      <Text>{texts.deadLettersLead}</Text>
      <Section title={texts.deadLetters}>
        <QueryView query={letters} height={200}>
          {({ data, next }) => (
            <>
              {data.length === 0 ? (
                <EmptyState title={texts.noDeadLetters} text={texts.noDeadLettersText} />
              ) : (
                <PlainTable
                  label={texts.deadLetters}
                  rows={data}
                  keyOf={(letter) => letter.id}
                  empty=""
                  columns={mayRetry ? [...columns, retry] : columns}
                />
              )}
              <OlderLink next={next} />
            </>
          )}
        </QueryView>
      </Section>
    </Page>
  )
}
