import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { deliveryQuery } from './queries.ts'
import { SignatureForm } from './signature/signature-form.tsx'
import { useSignatureTexts } from './signature/texts.ts'
import { Tabs } from './tabs.tsx'

/** Finds out why a receiver refuses a delivery; with the body of the delivery that the address names. */
export function SignaturePage() {
  const { id } = useKnownStore()
  const [search] = useSearchParams()
  const reference = search.get('delivery') ?? ''
  const delivery = useQuery({ ...deliveryQuery(id, reference), enabled: reference !== '' })
  const texts = useSignatureTexts()
  const { pages } = useTexts()
  return (
    <Page title={pages.webhooks}>
      <Tabs />
      <Text>{texts.lead}</Text>
      {!globalThis.isSecureContext && (
        <Alert color="yellow" variant="outline">
          {texts.insecure}
        </Alert>
      )}
      {reference === '' ? (
        <SignatureForm key="own" delivery={null} />
      ) : (
        <QueryView query={delivery} height={400}>
          {(known) => <SignatureForm key={known.webhook_id} delivery={known} />}
        </QueryView>
      )}
    </Page>
  )
}
