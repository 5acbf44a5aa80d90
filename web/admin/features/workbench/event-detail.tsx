import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useEventTypeTexts } from '../../shared/texts/event-types.ts'
import { CodeBlock } from '../../shared/ui/code-block.tsx'
import { CopyId } from '../../shared/ui/copy-id.tsx'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { StatusBadge } from '../../shared/ui/status-badge.tsx'
import { deliveriesOfEventQuery, eventQuery, type LoggedEvent } from './queries.ts'
import { aboutOf, subjectsOf } from './subjects.ts'
import { useWorkbenchTexts } from './texts.ts'

/** The event that was chosen, with what was delivered of it. */
export function EventDetail({ sequence }: { sequence: number | null }) {
  const texts = useWorkbenchTexts()
  return (
    <div className="beside-list">
      <Section title={texts.event}>
        {sequence === null ? <Text c="dimmed">{texts.choose}</Text> : <Chosen sequence={sequence} />}
      </Section>
    </div>
  )
}

function Chosen({ sequence }: { sequence: number }) {
  const { id, timezone } = useKnownStore()
  const found = useQuery(eventQuery(id, sequence))
  const texts = useWorkbenchTexts()
  const when: Record<string, string> = useEventTypeTexts().when
  const link = (to: string, name: string) => (
    <Anchor component={Link} to={`/stores/${id}/${to}`} size="sm">
      {name}
    </Anchor>
  )
  const aboutLinks = (event: LoggedEvent): [string, ReactNode][] => {
    const { customer, subscription } = subjectsOf(event)
    return [
      ...(customer ? [[texts.customer, link(`members/${customer}`, aboutOf(event))] as [string, ReactNode]] : []),
      ...(subscription
        ? [[texts.subscription, link(`subscriptions/${subscription}`, subscription)] as [string, ReactNode]]
        : [])
    ]
  }
  return (
    <QueryView query={found} height={300}>
      {(event) =>
        event ? (
          <>
            <Text fw={600}>{event.event}</Text>
            <Text size="sm">{when[event.event]}</Text>
            <FactList
              facts={[
                [texts.id, <CopyId key="id" value={event.id} />],
                [texts.sequence, event.sequence],
                [texts.occurred, <Instant key="at" at={event.timestamp} zone={timezone} />],
                ...aboutLinks(event),
                [
                  texts.request,
                  event.request_id && link(`workbench/requests?request=${event.request_id}`, event.request_id)
                ]
              ]}
            />
            <Deliveries event={event} />
            <CodeBlock label={texts.payload} text={JSON.stringify(event.data, null, 2)} />
          </>
        ) : (
          <Text>{texts.gone}</Text>
        )
      }
    </QueryView>
  )
}

function Deliveries({ event }: { event: LoggedEvent }) {
  const { id } = useKnownStore()
  const deliveries = useQuery(deliveriesOfEventQuery(id, event.id))
  const texts = useWorkbenchTexts()
  const { deliveryColumns } = texts
  return (
    <QueryView query={deliveries} height={80}>
      {(all) => (
        <>
          <Text size="sm" fw={500}>
            {texts.deliveries}
          </Text>
          <PlainTable
            label={texts.deliveries}
            rows={all}
            keyOf={({ webhook_id }) => webhook_id}
            empty={texts.noDeliveries}
            columns={[
              {
                title: deliveryColumns.endpoint,
                cell: ({ webhook_id, endpoint }) => (
                  <Anchor component={Link} to={`/stores/${id}/webhooks/deliveries/${webhook_id}`} size="sm">
                    {endpoint}
                  </Anchor>
                )
              },
              {
                title: deliveryColumns.status,
                cell: ({ status }) => <StatusBadge status={status} names={texts.deliveryStatuses} />
              },
              {
                title: deliveryColumns.response,
                cell: ({ response_code, failure }) => response_code ?? failure ?? '–'
              },
              { title: deliveryColumns.tries, isNumber: true, cell: ({ tries }) => tries }
            ]}
          />
        </>
      )}
    </QueryView>
  )
}
