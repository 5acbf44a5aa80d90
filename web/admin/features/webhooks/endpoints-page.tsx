import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { EndpointForm } from './endpoints/endpoint-form.tsx'
import { EndpointState } from './endpoints/endpoint-state.tsx'
import { NewSecret, type Shown } from './endpoints/new-secret.tsx'
import { useEndpointsTexts } from './endpoints/texts.ts'
import { type Endpoint, endpointsQuery } from './queries.ts'
import { Tabs } from './tabs.tsx'
import { useWebhooksTexts } from './texts.ts'

/** Who is told what happens in the store. */
export function EndpointsPage() {
  const { id } = useKnownStore()
  const endpoints = useQuery(endpointsQuery(id))
  const texts = useEndpointsTexts()
  const { pages } = useTexts()
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<Shown | null>(null)
  return (
    <Page
      title={pages.webhooks}
      aside={
        <May permission="develop">
          <Button onClick={() => setCreating(true)}>{texts.register}</Button>
        </May>
      }
    >
      <Tabs />
      <Text>{texts.lead}</Text>
      <Section title={texts.list}>
        <QueryView query={endpoints}>
          {(all) =>
            all.length === 0 ? <EmptyState title={texts.none} text={texts.noneText} /> : <Endpoints endpoints={all} />
          }
        </QueryView>
      </Section>
      {isCreating && (
        <EndpointForm
          endpoint={null}
          onClose={() => setCreating(false)}
          onCreated={(endpoint) => {
            setCreating(false)
            setMade(endpoint)
          }}
        />
      )}
      <NewSecret made={made} onClose={() => setMade(null)} isNew />
    </Page>
  )
}

function Endpoints({ endpoints }: { endpoints: Endpoint[] }) {
  const { id } = useKnownStore()
  const texts = useEndpointsTexts()
  const { listener } = useWebhooksTexts()
  const { count } = useFormats()
  const { columns } = texts
  return (
    <PlainTable
      label={texts.list}
      rows={endpoints}
      keyOf={(endpoint) => endpoint.id}
      empty=""
      columns={[
        {
          title: columns.url,
          cell: (endpoint) => (
            <Anchor
              component={Link}
              to={`/stores/${id}/webhooks/${endpoint.id}`}
              size="sm"
              lineClamp={2}
              className="wrap-anywhere"
              miw={180}
              maw={420}
            >
              {endpoint.kind === 'listener' ? `${listener} ${endpoint.id}` : endpoint.url}
            </Anchor>
          )
        },
        { title: columns.status, cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
        {
          title: columns.events,
          cell: ({ all_events, events }) => {
            if (all_events) return texts.everything
            return events.length === 1 ? events[0] : texts.types(count(events.length))
          }
        },
        {
          title: columns.description,
          cell: ({ description }) => (
            <Text size="sm" lineClamp={2} className="wrap-anywhere" miw={140} maw={280}>
              {description}
            </Text>
          )
        }
      ]}
    />
  )
}
