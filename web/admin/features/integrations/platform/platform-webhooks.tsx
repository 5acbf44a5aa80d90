import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { platformWebhooksQuery } from './queries.ts'
import { usePlatformTexts } from './texts.ts'

export function PlatformWebhooks() {
  const { id } = useKnownStore()
  const webhooks = useQuery(platformWebhooksQuery(id))
  const texts = usePlatformTexts()
  const { webhookColumns } = texts
  return (
    <Section title={texts.webhooks}>
      <Text size="sm">{texts.webhooksText}</Text>
      <QueryView query={webhooks} height={300}>
        {(all) => (
          <PlainTable
            label={texts.webhooks}
            // Those with a problem first.
            rows={all.toSorted((a, b) => Number(a.problem === null) - Number(b.problem === null))}
            keyOf={({ topic, uri }) => `${topic} ${uri}`}
            empty={texts.noWebhooks}
            columns={[
              { title: webhookColumns.topic, cell: ({ topic }) => <code>{topic}</code> },
              {
                title: webhookColumns.state,
                cell: ({ problem }) => (problem ? <span className="bad-news">{problem}</span> : texts.webhookOk)
              },
              {
                title: webhookColumns.uri,
                cell: ({ uri }) => (
                  <Text size="xs" className="wrap-anywhere">
                    {uri ?? '–'}
                  </Text>
                )
              }
            ]}
          />
        )}
      </QueryView>
    </Section>
  )
}
