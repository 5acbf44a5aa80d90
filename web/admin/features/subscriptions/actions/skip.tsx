import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { previewQuery, type Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { ActionPreview } from './preview.tsx'
import { useActions } from './requests.ts'

const REFRESH_MS = 10_000

/** Skips the next cycle, where the service would; the dialog says why it would not. */
export function SkipButton({ subscription }: { subscription: Subscription }) {
  const { id: store, timezone } = useKnownStore()
  const { skip: texts } = useSubscriptionsTexts()
  const { day } = useFormats()
  const { skip } = useActions(subscription.id)
  const { data } = useQuery({
    ...previewQuery(store, subscription.id, 'skip'),
    // What is being charged now is paid in a moment.
    refetchInterval: ({ state }) => (state.data?.after === null ? REFRESH_MS : false)
  })
  const { next_billing_date, unpaid_cycle } = subscription
  const isRefused = data?.after === null
  return (
    <ConfirmButton
      label={texts.label}
      done={texts.done}
      title={isRefused ? texts.refused : texts.title}
      isPossible={!isRefused}
      text={
        <Stack gap="xs">
          {isRefused && unpaid_cycle && <Text size="sm">{texts.whileUnpaid}</Text>}
          {isRefused && !unpaid_cycle && <Text size="sm">{data.refusal}</Text>}
          {!isRefused && (
            <Text size="sm">
              {next_billing_date === null ? texts.held : texts.text(day(next_billing_date, timezone))}
            </Text>
          )}
          {!isRefused && <ActionPreview subscription={subscription.id} action="skip" />}
        </Stack>
      }
      change={skip}
    />
  )
}
