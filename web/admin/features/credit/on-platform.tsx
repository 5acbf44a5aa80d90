import { Alert, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { ConfirmButton } from '../../shared/ui/confirm-button.tsx'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { type Customer, onPlatformQuery, reconcileWithPlatform } from './queries.ts'
import { useCreditTexts } from './texts.ts'

/** What the account or gift card on the platform has, beside the ledger. */
export function OnPlatform({ customer, currency }: { customer: Customer; currency: string }) {
  const { id: store } = useKnownStore()
  const compared = useQuery(onPlatformQuery(store, customer.id))
  const { platform: texts } = useCreditTexts()
  const { common } = useTexts()
  const { money } = useFormats()
  const amount = (value: number | null) => (value === null ? texts.notRead : money(value, currency))
  return (
    <Section title={texts.title}>
      <QueryView query={compared}>
        {({ way, available, on_platform, in_step, gift_card, problem }) => (
          <Stack gap="sm">
            <FactList
              facts={[
                [texts.way, way === null ? texts.noWay : (texts.ways[way] ?? way)],
                [texts.available, amount(available)],
                [texts.there, amount(on_platform)],
                [texts.inStep, in_step === null ? texts.notRead : in_step ? common.yes : common.no],
                [texts.giftCard, gift_card && `… ${gift_card.last_characters}`]
              ]}
            />
            {problem !== null && (
              <Alert color="yellow" variant="outline">
                <Text size="sm" className="wrap-anywhere">
                  {problem}
                </Text>
              </Alert>
            )}
          </Stack>
        )}
      </QueryView>
      <May permission="develop">
        <Group>
          <ConfirmButton {...texts.reconcile} change={() => reconcileWithPlatform(store, customer.id)} />
        </Group>
      </May>
    </Section>
  )
}
