import { Alert, Anchor, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { RetryButton } from '../../shared/charges/retry-button.tsx'
import { useChargeTexts } from '../../shared/charges/texts.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { previewQuery, type Subscription } from './queries.ts'
import { useSubscriptionsTexts } from './texts.ts'

/** The cycle that a subscription owes: why it is unpaid, what follows, and the way to charge it again. */
export function Unpaid({ subscription }: { subscription: Subscription }) {
  const { id: store, timezone } = useKnownStore()
  const { unpaid: texts } = useSubscriptionsTexts()
  const { errors } = useChargeTexts()
  const { count } = useFormats()
  const {
    unpaid_cycle: owed,
    status,
    next_billing_date,
    price,
    member_discount,
    granted_discount,
    currency
  } = subscription
  const isActive = status === 'active'
  const resume = useQuery({ ...previewQuery(store, subscription.id, 'resume'), enabled: owed !== null && !isActive })
  // Of a pause that lasts longer than the cycle, nobody pays for it any more.
  if (owed === null || (!isActive && !resume.data?.after?.is_unpaid_cycle)) return null
  const { cycle_index, attempt_id, error_code, is_being_charged } = owed
  return (
    <Alert color="red" variant="outline" title={texts.title(count(cycle_index))}>
      <Stack gap="xs">
        <Text size="sm">
          {error_code === null ? (is_being_charged ? '' : texts.neverTried) : `${errors[error_code] ?? error_code}.`}{' '}
          {is_being_charged && texts.underWay}
          {isActive && !is_being_charged && next_billing_date === null && texts.noTry}
          {isActive && !is_being_charged && next_billing_date !== null && (
            <>
              {texts.nextTry}: <Instant at={next_billing_date} zone={timezone} />.
            </>
          )}
          {!isActive && texts.whenResumed}
        </Text>
        {attempt_id !== null && (
          <Group gap="md">
            {isActive && !is_being_charged && (
              <RetryButton
                attempt={attempt_id}
                amount={Math.max(0, price - member_discount - granted_discount)}
                currency={currency}
              />
            )}
            <Anchor component={Link} to={`/stores/${store}/billing/${attempt_id}`} size="sm">
              {texts.toTries}
            </Anchor>
          </Group>
        )}
      </Stack>
    </Alert>
  )
}
