import { Anchor, Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { type Column, PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { type Delivery, endpointsQuery } from '../queries.ts'
import { useWebhooksTexts } from '../texts.ts'
import { DeliveryStatus } from './delivery-status.tsx'
import { useDeliveriesTexts } from './texts.ts'

/** Deliveries in the order in which they are given. */
export function DeliveriesTable({ deliveries, withEndpoint }: { deliveries: Delivery[]; withEndpoint: boolean }) {
  const { id, timezone } = useKnownStore()
  const { data: endpoints = [] } = useQuery(endpointsQuery(id))
  const texts = useDeliveriesTexts()
  const { test, listener } = useWebhooksTexts()
  const { count } = useFormats()
  const { columns } = texts
  const shown: Column<Delivery>[] = [
    {
      title: columns.event,
      cell: ({ event, webhook_id, test: isTest }) => (
        <Group gap={6} wrap="nowrap">
          <Anchor component={Link} to={`/stores/${id}/webhooks/deliveries/${webhook_id}`} size="sm">
            {event}
          </Anchor>
          {isTest && (
            <Badge variant="default" size="xs" tt="none">
              {test}
            </Badge>
          )}
        </Group>
      )
    },
    { title: columns.status, cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
    { title: columns.response, cell: ({ response_code, failure }) => response_code ?? failure ?? '–' },
    {
      title: columns.duration,
      isNumber: true,
      cell: ({ response_time_ms: ms }) => (ms === null ? '–' : `${count(ms)} ms`)
    },
    { title: columns.tries, isNumber: true, cell: ({ tries }) => count(tries) },
    { title: columns.object, cell: ({ object }) => object ?? '–' },
    { title: columns.created, cell: ({ created_at }) => <Instant at={created_at} zone={timezone} /> }
  ]
  const endpoint: Column<Delivery> = {
    title: columns.endpoint,
    cell: ({ endpoint: reference, endpoint_kind }) => {
      const known = endpoints.find((one) => one.id === reference)
      const name = endpoint_kind === 'listener' ? listener : (known?.url ?? `${reference} (${texts.deletedEndpoint})`)
      return (
        <Text size="sm" lineClamp={1} miw={140} maw={240} className="wrap-anywhere" title={name}>
          {name}
        </Text>
      )
    }
  }
  return (
    <PlainTable
      label={texts.list}
      rows={deliveries}
      keyOf={({ webhook_id }) => webhook_id}
      empty={texts.none}
      columns={withEndpoint ? [...shown.slice(0, 2), endpoint, ...shown.slice(2)] : shown}
    />
  )
}
