import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { May } from '../../shared/session/may.tsx'
import { BackLink } from '../../shared/ui/back-link.tsx'
import { CodeBlock } from '../../shared/ui/code-block.tsx'
import { ConfirmButton } from '../../shared/ui/confirm-button.tsx'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { curl } from './deliveries/curl.ts'
import { DeliveryFacts } from './deliveries/delivery-facts.tsx'
import { useDeliveriesTexts } from './deliveries/texts.ts'
import { Tries } from './deliveries/tries.tsx'
import { type DeliveryDetail, deliveryQuery, endpointsQuery, resendDelivery } from './queries.ts'

/** One delivery: what was sent, how, and what came of each try. */
export function DeliveryPage() {
  const { id } = useKnownStore()
  const { delivery: reference = '' } = useParams()
  const found = useQuery(deliveryQuery(id, reference))
  const texts = useDeliveriesTexts()
  return (
    <Stack gap="sm">
      <BackLink to={`/stores/${id}/webhooks/deliveries`} label={texts.toList} />
      <QueryView query={found} height={400}>
        {(delivery) => (
          <Page
            title={texts.title(delivery.event)}
            aside={
              <May permission="develop">
                <Resend delivery={delivery} />
              </May>
            }
          >
            <DeliveryFacts delivery={delivery} />
            <Tries tries={delivery.history} />
            <Section title={texts.payload}>
              <CodeBlock
                label={texts.payloadSent}
                text={JSON.stringify(delivery.payload, null, 2)}
                copyText={delivery.body}
              />
            </Section>
            <Headers delivery={delivery} />
            <Command delivery={delivery} />
          </Page>
        )}
      </QueryView>
    </Stack>
  )
}

function Resend({ delivery: { status, webhook_id } }: { delivery: DeliveryDetail }) {
  const { id } = useKnownStore()
  const texts = useDeliveriesTexts()
  return (
    <ConfirmButton
      size="sm"
      label={texts.resend}
      title={texts.resendTitle}
      text={
        <Stack gap="xs">
          <Text size="sm">{texts.resendText}</Text>
          {status === 'delivered' && <Text size="sm">{texts.resendDelivered}</Text>}
          {status === 'retrying' && <Text size="sm">{texts.resendWaiting}</Text>}
        </Stack>
      }
      change={() => resendDelivery(id, webhook_id)}
      done={texts.resent}
    />
  )
}

function Headers({ delivery: { webhook_id, sequence, test } }: { delivery: DeliveryDetail }) {
  const { id } = useKnownStore()
  const texts = useDeliveriesTexts()
  const { headerValues } = texts
  return (
    <Section title={texts.headers}>
      <FactList
        facts={[
          ['Content-Type', 'application/json'],
          ['User-Agent', 'Perennial-Webhooks/1'],
          ['X-Svc-Signature', headerValues.signature],
          ['X-Svc-Signature-Next', headerValues.next],
          ['webhook-id', webhook_id],
          ['webhook-timestamp', headerValues.timestamp],
          ['webhook-signature', headerValues.standard],
          ['X-Svc-Sequence', sequence],
          ['X-Svc-Test', test && 'true']
        ]}
      />
      <Text size="xs" c="dimmed">
        {texts.headersText}
      </Text>
      <Anchor component={Link} to={`/stores/${id}/webhooks/signature?delivery=${webhook_id}`} size="sm">
        {texts.checkSignature}
      </Anchor>
    </Section>
  )
}

function Command({ delivery }: { delivery: DeliveryDetail }) {
  const { id } = useKnownStore()
  const { data: endpoints = [] } = useQuery(endpointsQuery(id))
  const texts = useDeliveriesTexts()
  const url = endpoints.find((endpoint) => endpoint.id === delivery.endpoint)?.url ?? ''
  return (
    <Section title={texts.curl}>
      <CodeBlock label={texts.curlText} text={curl(delivery, url)} />
    </Section>
  )
}
