import { SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { StatusBadges } from '../../shared/charges/status-badges.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { BackLink } from '../../shared/ui/back-link.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Actions } from './member/actions.tsx'
import { Credit } from './member/credit.tsx'
import { Facts } from './member/facts.tsx'
import { History } from './member/history.tsx'
import { Loyalty } from './member/loyalty.tsx'
import { OnPlatform } from './member/on-platform.tsx'
import { Orders } from './member/orders.tsx'
import { Subscriptions } from './member/subscriptions.tsx'
import { useMemberTexts } from './member/texts.ts'
import { memberQuery } from './queries.ts'
import { useMembersTexts } from './texts.ts'

/** Everything about one person. */
export function MemberPage() {
  const { id } = useKnownStore()
  const { customer: reference = '' } = useParams()
  const found = useQuery(memberQuery(id, reference))
  const texts = useMemberTexts()
  const { statuses } = useMembersTexts()
  const { pages } = useTexts()

  return (
    <Stack gap="sm">
      <BackLink to={`/stores/${id}/members`} label={texts.toList} />
      <QueryView query={found} height={400}>
        {({ customer, member }) => (
          <Page
            title={customer.name ?? customer.email ?? pages.members}
            aside={
              customer.status && (
                <StatusBadges status={customer.status} names={statuses} isUnpaid={member?.has_unpaid_cycle ?? false} />
              )
            }
          >
            <Actions customer={customer.id} />
            {customer.deleted && <Text>{texts.deleted}</Text>}
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Facts customer={customer} member={member} />
              <Loyalty customer={customer.id} />
            </SimpleGrid>
            <Subscriptions customer={customer.id} />
            <Credit customer={customer.id} />
            <Orders customer={customer.id} />
            <History customer={customer.id} />
            <OnPlatform customer={customer.id} />
          </Page>
        )}
      </QueryView>
    </Stack>
  )
}
