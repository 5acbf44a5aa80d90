import { Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { May } from '../../shared/session/may.tsx'
import { BackLink } from '../../shared/ui/back-link.tsx'
import { CopyId } from '../../shared/ui/copy-id.tsx'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { DeliveriesTable } from './deliveries/deliveries-table.tsx'
import { EndpointActions } from './endpoints/endpoint-actions.tsx'
import { EndpointState } from './endpoints/endpoint-state.tsx'
import { useEndpointsTexts } from './endpoints/texts.ts'
import { deliveriesQuery, type Endpoint, endpointQuery } from './queries.ts'
import { useWebhooksTexts } from './texts.ts'

/** One endpoint, what can be done with it, and its latest deliveries. */
export function EndpointPage() {
  const { id } = useKnownStore()
  const { endpoint: reference = '' } = useParams()
  const found = useQuery(endpointQuery(id, reference))
  const texts = useEndpointsTexts()
  const { listener } = useWebhooksTexts()
  return (
    <Stack gap="sm">
      <BackLink to={`/stores/${id}/webhooks`} label={texts.toList} />
      <QueryView query={found} height={300}>
        {(endpoint) => (
          <Page title={endpoint.kind === 'listener' ? listener : endpoint.url}>
            {endpoint.kind === 'url' && (
              <May permission="develop">
                <EndpointActions endpoint={endpoint} />
              </May>
            )}
            <Facts endpoint={endpoint} />
            <Recent endpoint={endpoint.id} />
          </Page>
        )}
      </QueryView>
    </Stack>
  )
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const { timezone } = useKnownStore()
  const texts = useEndpointsTexts()
  const { count } = useFormats()
  const { failing_since, disabled_at, disabled_reason, previous_secret_until } = endpoint
  const at = (instant: string) => <Instant at={instant} zone={timezone} />
  return (
    <Section title={texts.facts}>
      <FactList
        facts={[
          [texts.id, <CopyId key="id" value={endpoint.id} />],
          [texts.state, <EndpointState key="state" endpoint={endpoint} />],
          ...optional(failing_since !== null, [
            texts.failingSince,
            <span key="failing">
              {at(failing_since ?? '')}
              {endpoint.failed_deliveries > 0 && `. ${texts.failedDeliveries(count(endpoint.failed_deliveries))}`}
            </span>
          ]),
          ...optional(disabled_at !== null, [
            texts.disabledAt,
            <span key="disabled">
              {at(disabled_at ?? '')} {disabled_reason && `(${disabled_reason})`}
            </span>
          ]),
          ...optional(previous_secret_until !== null, [texts.overlap, at(previous_secret_until ?? '')]),
          [texts.events, endpoint.all_events ? texts.all : endpoint.events.join(', ')],
          ...optional(endpoint.description !== '', [texts.description, endpoint.description]),
          [texts.created, at(endpoint.created_at)],
          [texts.changed, at(endpoint.updated_at)]
        ]}
      />
    </Section>
  )
}

type Fact = [string, React.ReactNode]
const optional = (isThere: boolean, fact: Fact): Fact[] => (isThere ? [fact] : [])

function Recent({ endpoint }: { endpoint: string }) {
  const { id } = useKnownStore()
  const deliveries = useQuery(deliveriesQuery(id, { endpoint }, undefined))
  const texts = useEndpointsTexts()
  return (
    <Section title={texts.recent}>
      <QueryView query={deliveries} height={240}>
        {({ data }) => <DeliveriesTable deliveries={data.slice(0, 10)} withEndpoint={false} />}
      </QueryView>
      <Anchor component={Link} to={`/stores/${id}/webhooks/deliveries?endpoint=${endpoint}`} size="sm">
        {texts.allDeliveries}
      </Anchor>
    </Section>
  )
}
