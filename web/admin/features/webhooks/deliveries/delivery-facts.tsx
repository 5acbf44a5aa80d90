import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useEventTypeTexts } from '../../../shared/texts/event-types.ts'
import { CopyId } from '../../../shared/ui/copy-id.tsx'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { type DeliveryDetail, endpointsQuery } from '../queries.ts'
import { useWebhooksTexts } from '../texts.ts'
import { DeliveryStatus } from './delivery-status.tsx'
import { useDeliveriesTexts } from './texts.ts'

type Fact = [string, ReactNode]
const optional = (isThere: boolean, fact: Fact): Fact[] => (isThere ? [fact] : [])

/** Where a delivery stands, in words. */
export function DeliveryFacts({ delivery }: { delivery: DeliveryDetail }) {
  const { timezone, clock } = useKnownStore()
  const texts = useDeliveriesTexts()
  const { failures } = useWebhooksTexts()
  const when: Record<string, string> = useEventTypeTexts().when
  const { columns } = texts
  const { status, cancelled, failure, tries, next_try_at, finished_at, object, sequence } = delivery
  return (
    <Section title={texts.facts}>
      <FactList
        facts={[
          [columns.status, <DeliveryStatus key="status" delivery={delivery} />],
          ...optional(failure !== null && status !== 'delivered', [
            columns.response,
            failures[failure ?? ''] ?? failure
          ]),
          [texts.event, `${delivery.event}: ${when[delivery.event] ?? ''}`],
          ...optional(delivery.event_id !== null, [texts.eventId, <EventLink key="event" delivery={delivery} />]),
          ...optional(sequence !== null, [texts.sequence, sequence]),
          [texts.endpoint, <EndpointLink key="endpoint" id={delivery.endpoint} />],
          [texts.id, <CopyId key="id" value={delivery.webhook_id} />],
          ...optional(object !== null, [columns.object, <ObjectLink key="object" id={object ?? ''} />]),
          [columns.created, <Instant key="created" at={delivery.created_at} zone={timezone} />],
          ...optional(status === 'retrying', [
            texts.nextTry,
            tries === 0 ? (
              texts.now
            ) : (
              <span key="next">
                <Instant at={next_try_at} zone={timezone} />
                {clock !== null && ` ${texts.byClock}`}
              </span>
            )
          ]),
          ...optional(finished_at !== null, [
            texts.finished,
            <Instant key="finished" at={finished_at} zone={timezone} />
          ])
        ]}
      />
      {delivery.test && <Text size="sm">{texts.sample}</Text>}
      {cancelled && <Text size="sm">{texts.cancelledText}</Text>}
    </Section>
  )
}

/** A subscription has a page; members are known there by their customers. */
function ObjectLink({ id: object }: { id: string }) {
  const { id } = useKnownStore()
  if (!object.startsWith('sub_')) return <CopyId value={object} />
  return (
    <Anchor component={Link} to={`/stores/${id}/subscriptions/${object}`} size="sm">
      {object}
    </Anchor>
  )
}

function EventLink({ delivery: { event_id, sequence } }: { delivery: DeliveryDetail }) {
  const { id } = useKnownStore()
  const { showEvent } = useDeliveriesTexts()
  return (
    <>
      <CopyId value={event_id ?? ''} />{' '}
      {sequence !== null && (
        <Anchor component={Link} to={`/stores/${id}/workbench?sequence=${sequence}`} size="sm">
          {showEvent}
        </Anchor>
      )}
    </>
  )
}

function EndpointLink({ id: endpoint }: { id: string }) {
  const { id } = useKnownStore()
  const { data: endpoints = [] } = useQuery(endpointsQuery(id))
  const { listener } = useWebhooksTexts()
  const { deletedEndpoint } = useDeliveriesTexts()
  const known = endpoints.find((one) => one.id === endpoint)
  if (!known) return `${endpoint} (${deletedEndpoint})`
  return (
    <Anchor component={Link} to={`/stores/${id}/webhooks/${endpoint}`} size="sm" className="wrap-anywhere">
      {known.kind === 'listener' ? listener : known.url}
    </Anchor>
  )
}
