import { Alert, Group, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { May } from '../../shared/session/may.tsx'
import { BackLink } from '../../shared/ui/back-link.tsx'
import { ConfirmButton } from '../../shared/ui/confirm-button.tsx'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { StatusBadge } from '../../shared/ui/status-badge.tsx'
import { cancelImport, type Import, importQuery, isOver } from './queries.ts'
import { RefusedRows } from './refused-rows.tsx'
import { SendAgain } from './send-again.tsx'
import { useImportsTexts } from './texts.ts'

/** One import: how far it is, also after a reload, and the rows that it refused. */
export function ImportPage() {
  const { id: store } = useKnownStore()
  const { import: id = '' } = useParams()
  const found = useQuery(importQuery(store, id))
  const texts = useImportsTexts()
  return (
    <Stack gap="sm">
      <BackLink to={`/stores/${store}/imports`} label={texts.toList} />
      <QueryView query={found} height={400}>
        {(one) => (
          <Page title={texts.title(one.id)} aside={<StatusBadge status={one.status} names={texts.statuses} />}>
            <HowFar of={one} />
            {one.status === 'receiving' && <SendAgain of={one} />}
            {one.refused > 0 && <RefusedRows of={one} />}
          </Page>
        )}
      </QueryView>
    </Stack>
  )
}

function HowFar({ of }: { of: Import }) {
  const { id: store, timezone } = useKnownStore()
  const texts = useImportsTexts()
  const { count } = useFormats()
  const { id, status, source, mode, paused_until, error, total, waiting, created, unchanged, refused, pushed } = of
  const done = total - waiting
  return (
    <Section title={texts.progress}>
      <Text size="sm" c="dimmed" maw={720}>
        {texts.what[status] ?? ''}
      </Text>
      {total > 0 && (
        <Stack gap={4}>
          <Progress.Root size="lg">
            <Progress.Section value={(100 * done) / total} aria-label={texts.progress} color="teal.7" />
          </Progress.Root>
          <Text size="sm" className="figure">
            {texts.rows(count(done), count(total))}
          </Text>
        </Stack>
      )}
      {error !== null && (
        <Alert color="yellow" variant="outline">
          <Text size="sm" className="wrap-anywhere">
            {error}
          </Text>
        </Alert>
      )}
      <FactList
        facts={[
          [texts.created, count(created)],
          [texts.pushed, pushed !== undefined && count(pushed)],
          [texts.unchanged, count(unchanged)],
          [texts.refused, count(refused)],
          [texts.source, texts.sources[source] ?? source],
          [texts.mode, texts.modes[mode] ?? mode],
          [texts.pausedUntil, paused_until && <Instant key="until" at={paused_until} zone={timezone} />],
          [texts.begun, <Instant key="begun" at={of.created_at} zone={timezone} />],
          [texts.ended, <Instant key="ended" at={of.finished_at} zone={timezone} />]
        ]}
      />
      {!isOver(of) && (
        <May permission="manage">
          <Group>
            <ConfirmButton {...texts.cancel} change={() => cancelImport(store, id)} isHarmful />
          </Group>
        </May>
      )}
    </Section>
  )
}
