import { Box, Stack, Text } from '@mantine/core'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { May } from '../../shared/session/may.tsx'
import { ConfirmButton } from '../../shared/ui/confirm-button.tsx'
import { CopyId } from '../../shared/ui/copy-id.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { StatusBadge } from '../../shared/ui/status-badge.tsx'
import { downloadExport, type PrivacyRequest } from './queries.ts'
import { usePrivacyTexts } from './texts.ts'

export function Requests({ requests }: { requests: PrivacyRequest[] }) {
  const { timezone } = useKnownStore()
  const texts = usePrivacyTexts()
  return (
    <PlainTable
      label={texts.list}
      rows={requests}
      keyOf={({ id }) => id}
      empty=""
      columns={[
        {
          title: texts.request,
          cell: ({ id }) => (
            <Box miw={100}>
              <CopyId value={id} />
            </Box>
          )
        },
        { title: texts.topic, cell: ({ topic }) => texts.topics[topic] ?? topic },
        { title: texts.customer, cell: ({ customer_id }) => customer_id ?? '–' },
        { title: texts.from, cell: ({ source }) => texts.sources[source] ?? source },
        { title: texts.status, cell: (one) => <State request={one} /> },
        {
          title: texts.received,
          cell: ({ received_at }) => (
            <Box miw={110}>
              <Instant at={received_at} zone={timezone} />
            </Box>
          )
        },
        { title: texts.due, cell: ({ due_at, done_at }) => <Due due={due_at} done={done_at} /> },
        { title: texts.result, cell: (one) => <Result request={one} /> }
      ]}
    />
  )
}

function State({ request: { status, reason } }: { request: PrivacyRequest }) {
  const { statuses } = usePrivacyTexts()
  return (
    <Stack gap={2} miw={160}>
      <StatusBadge status={status} names={statuses} />
      {reason !== null && (
        <Text size="xs" c="dimmed" className="wrap-anywhere">
          {reason}
        </Text>
      )}
    </Stack>
  )
}

function Due({ due, done }: { due: string; done: string | null }) {
  const { timezone } = useKnownStore()
  const { doneOn } = usePrivacyTexts()
  return (
    <Box miw={110}>
      {done === null ? (
        <Instant at={due} zone={timezone} dayOnly />
      ) : (
        <>
          {doneOn} <Instant at={done} zone={timezone} dayOnly />
        </>
      )}
    </Box>
  )
}

/** The file while it can be fetched; else how much there was. */
function Result({ request: { id, topic, status, rows, expires_at } }: { request: PrivacyRequest }) {
  const { id: store } = useKnownStore()
  const texts = usePrivacyTexts()
  const { count } = useFormats()
  const total = Object.values(rows).reduce((sum, one) => sum + one, 0)
  const hasFile = topic === 'customers/data_request' && (status === 'ready' || status === 'done') && expires_at !== null
  return (
    <Stack gap={4} miw={140} align="flex-start">
      {total > 0 && (
        <Text size="sm" title={tablesOf(rows)}>
          {texts.rows(count(total))}
        </Text>
      )}
      {hasFile && (
        <May permission="manage">
          <ConfirmButton {...texts.download} change={() => downloadExport(store, id)} />
        </May>
      )}
    </Stack>
  )
}

const tablesOf = (rows: PrivacyRequest['rows']) =>
  Object.entries(rows)
    .map(([table, number]) => `${table}: ${number}`)
    .join('\n')
