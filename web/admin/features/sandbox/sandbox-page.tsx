import { Alert, Anchor, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useKnownStore } from '../../shared/api/stores.ts'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { DialogButton } from '../../shared/ui/dialog-button.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { Clock } from './clock.tsx'
import { NewStore } from './new-store.tsx'
import { useSandboxTexts } from './texts.ts'
import { CardForm } from './try/card-form.tsx'
import { CustomerForm } from './try/customer-form.tsx'
import { JoinForm } from './try/join-form.tsx'
import { OrderForm } from './try/order-form.tsx'

/** Where a sandbox store is played with: its clock, its customers, their cards. */
export function SandboxPage() {
  const { sandbox } = useKnownStore()
  const { pages } = useTexts()
  const { notHere } = useSandboxTexts()
  return <Page title={pages.sandbox}>{sandbox ? <Sandbox /> : <EmptyState {...notHere} />}</Page>
}

function Sandbox() {
  const { platform_url } = useKnownStore()
  const texts = useSandboxTexts()
  // Whoever was made or used last is whom the next form is about.
  const [customer, setCustomer] = useState('')
  const shop = platform_url.replace(/\/$/, '')
  return (
    <Stack gap="lg">
      <Alert color="orange" variant="outline">
        <Stack gap="xs">
          <Text size="sm" fw={700}>
            {texts.mark}
          </Text>
          <Text size="sm">{texts.markText}</Text>
          <Group gap="md">
            <Anchor href={`${shop}/`} target="_blank" rel="noreferrer" size="sm" underline="always">
              {texts.shop}
            </Anchor>
            <Anchor href={`${shop}/mail`} target="_blank" rel="noreferrer" size="sm" underline="always">
              {texts.mail}
            </Anchor>
          </Group>
        </Stack>
      </Alert>
      <Clock />
      <May permission="install">
        <Group>
          <DialogButton label={texts.newStore.label} title={texts.newStore.label}>
            {(close) => <NewStore onClose={close} />}
          </DialogButton>
        </Group>
      </May>
      <May permission="develop">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <CustomerForm onCustomer={setCustomer} />
          <JoinForm customer={customer} onCustomer={setCustomer} />
          <CardForm customer={customer} onCustomer={setCustomer} />
          <OrderForm customer={customer} onCustomer={setCustomer} />
        </SimpleGrid>
      </May>
    </Stack>
  )
}
