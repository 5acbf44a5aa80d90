import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { StatusBadges } from '../../shared/charges/status-badges.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { BackLink } from '../../shared/ui/back-link.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Actions } from './actions/actions.tsx'
import { Attempts } from './attempts.tsx'
import { Details } from './details.tsx'
import { History } from './history.tsx'
import { subscriptionQuery } from './queries.ts'
import { useSubscriptionsTexts } from './texts.ts'
import { Unpaid } from './unpaid.tsx'

/** One subscription: what it is, what was charged, what happened, and what can be done. */
export function SubscriptionPage() {
  const { id: store } = useKnownStore()
  const { subscription: id = '' } = useParams()
  const found = useQuery(subscriptionQuery(store, id))
  const texts = useSubscriptionsTexts()
  const { subscriptionStatuses } = useTexts()
  return (
    <Stack gap="sm">
      <BackLink to={`/stores/${store}/subscriptions`} label={texts.toList} />
      <QueryView query={found} height={400}>
        {(subscription) => (
          <Page
            title={subscription.plan_name}
            aside={
              <StatusBadges
                status={subscription.status}
                names={subscriptionStatuses}
                isUnpaid={subscription.unpaid_cycle !== null}
              />
            }
          >
            <Unpaid subscription={subscription} />
            <Actions subscription={subscription} />
            <Details subscription={subscription} />
            <Attempts subscription={subscription.id} />
            <History subscription={subscription.id} />
          </Page>
        )}
      </QueryView>
    </Stack>
  )
}
