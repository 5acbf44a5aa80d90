import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { DownloadButton } from '../../shared/ui/download-button.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { type Import, type RefusedRow, refusedQuery, refusedUrl, SHOWN_ROWS } from './queries.ts'
import { useImportsTexts } from './texts.ts'

/** The first refused rows with their reasons, and the whole report to correct them by. */
export function RefusedRows({ of }: { of: Import }) {
  const { id: store } = useKnownStore()
  const rows = useQuery(refusedQuery(store, of))
  const { report: texts } = useImportsTexts()
  const { count } = useFormats()
  return (
    <Section title={texts.title}>
      <Text size="sm" c="dimmed" maw={720}>
        {texts.text}
      </Text>
      <Group gap="xs">
        {(['csv', 'ndjson'] as const).map((format) => (
          <DownloadButton
            key={format}
            label={texts.download[format]}
            path={refusedUrl(store, of.id, format)}
            fileName={`refused-${of.id}.${format}`}
          />
        ))}
      </Group>
      <QueryView query={rows}>
        {(first) => (
          <Stack gap="xs">
            <PlainTable
              label={texts.title}
              rows={first}
              keyOf={({ line }) => String(line)}
              empty=""
              columns={[
                { title: texts.line, isNumber: true, cell: ({ line }) => count(line) },
                { title: texts.why, cell: (row) => <Why row={row} /> },
                { title: texts.row, cell: (row) => <Row row={row} /> }
              ]}
            />
            {of.refused > SHOWN_ROWS && (
              <Text size="xs" c="dimmed">
                {texts.more(count(SHOWN_ROWS), count(of.refused))}
              </Text>
            )}
          </Stack>
        )}
      </QueryView>
    </Section>
  )
}

const Why = ({ row: { field, message, code } }: { row: RefusedRow }) => (
  <Stack gap={0} miw={180}>
    <Text size="sm" className="wrap-anywhere">
      {message}
    </Text>
    <Text size="xs" c="dimmed">
      {[field, code].filter(Boolean).join(' · ')}
    </Text>
  </Stack>
)

function Row({ row: { row, original } }: { row: RefusedRow }) {
  const text = row
    ? Object.entries(row)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', ')
    : (original ?? '')
  return (
    <Text size="sm" lineClamp={3} className="wrap-anywhere" miw={200}>
      {text}
    </Text>
  )
}
