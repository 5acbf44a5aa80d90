import { Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { RetryButton } from '../../shared/charges/retry-button.tsx'
import { useChargeTexts } from '../../shared/charges/texts.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { BackLink } from '../../shared/ui/back-link.tsx'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { StatusBadge } from '../../shared/ui/status-badge.tsx'
import { Ladder } from './ladder.tsx'
import { type Attempt, attemptQuery } from './queries.ts'
import { useBillingTexts } from './texts.ts'

/** One charge: what came of it, what follows, and the way to try again. */
export function AttemptPage() {
  const { id: store, timezone } = useKnownStore()
  const { attempt: id = '' } = useParams()
  const found = useQuery(attemptQuery(store, id))
  const texts = useBillingTexts()
  const { attemptStatuses } = useTexts()
  const { day } = useFormats()
  return (
    <Stack gap="sm">
      <BackLink to={`/stores/${store}/billing`} label={texts.toList} />
      <QueryView query={found} height={400}>
        {(attempt) => (
          <Page
            title={texts.attemptTitle(day(attempt.date, timezone))}
            aside={<StatusBadge status={attempt.status} names={attemptStatuses} />}
          >
            {attempt.status === 'failed' && (
              <RetryButton attempt={attempt.id} amount={attempt.amount} currency={attempt.currency} />
            )}
            <Facts attempt={attempt} />
            <Ladder attempt={attempt} />
          </Page>
        )}
      </QueryView>
    </Stack>
  )
}

function Facts({ attempt }: { attempt: Attempt }) {
  const { id: store, timezone } = useKnownStore()
  const texts = useBillingTexts()
  const { errors } = useChargeTexts()
  const { money, count } = useFormats()
  const { error_code, error_message, decline_code, order_number, action_url } = attempt
  return (
    <Section title={texts.details}>
      <FactList
        facts={[
          [texts.id, attempt.id],
          [
            texts.columns.subscription,
            <Anchor
              key="subscription"
              component={Link}
              to={`/stores/${store}/subscriptions/${attempt.subscription_id}`}
              size="sm"
            >
              {attempt.subscription_id}
            </Anchor>
          ],
          [texts.columns.amount, money(attempt.amount, attempt.currency)],
          [texts.cycle, count(attempt.cycle_index)],
          [texts.columns.date, <Instant key="date" at={attempt.date} zone={timezone} />],
          [texts.order, order_number],
          [texts.error, error_code && (errors[error_code] ?? error_code)],
          [texts.message, error_message],
          [texts.declineCode, decline_code],
          [texts.confirm, action_url]
        ]}
      />
    </Section>
  )
}
