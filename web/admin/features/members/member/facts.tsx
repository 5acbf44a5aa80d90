import { Text } from '@mantine/core'
import type { components } from '../../../shared/api/schema.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import type { Member } from '../queries.ts'
import { useMembersTexts } from '../texts.ts'
import { useMemberTexts } from './texts.ts'

type Props = { customer: components['schemas']['Customer']; member: Member | null }

export function Facts({ customer, member }: Props) {
  const { timezone } = useKnownStore()
  const texts = useMemberTexts()
  const { columns } = useMembersTexts()
  const { common } = useTexts()
  return (
    <Section title={texts.facts}>
      {!member && <Text>{texts.notMember}</Text>}
      <FactList
        facts={[
          [texts.email, customer.email ?? common.none],
          [texts.customerId, customer.id],
          [texts.platformId, customer.platform_customer_id],
          ...(member ? factsOfMember(member) : [])
        ]}
      />
    </Section>
  )

  function factsOfMember(one: Member): [string, React.ReactNode][] {
    return [
      [columns.plan, one.plan_name ?? common.none],
      [texts.tier, one.tier ?? common.none],
      [columns.memberSince, <Instant key="since" at={one.member_since} zone={timezone} />],
      [columns.nextBilling, <Instant key="next" at={one.next_billing_date} zone={timezone} />],
      [texts.firstOrder, <Instant key="first" at={one.first_orders?.first ?? null} zone={timezone} />]
    ]
  }
}
