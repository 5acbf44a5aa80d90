import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { loyaltyQuery } from '../queries.ts'
import { useMembersTexts } from '../texts.ts'
import { useMemberTexts } from './texts.ts'

/** The points of a customer and the tier that they have reached. */
export function Loyalty({ customer }: { customer: string }) {
  const { id } = useKnownStore()
  const loyalty = useQuery(loyaltyQuery(id, customer))
  const texts = useMemberTexts()
  const { columns } = useMembersTexts()
  const { common } = useTexts()
  const { count } = useFormats()
  return (
    <Section title={texts.points}>
      <QueryView query={loyalty}>
        {(known) =>
          known ? (
            <FactList
              facts={[
                [texts.points, count(known.loyalty_points)],
                [texts.pendingPoints, count(known.pending_points)],
                [texts.lifetimePoints, count(known.lifetime_points)],
                [columns.loyaltyTier, tierOf(known)]
              ]}
            />
          ) : (
            <Text c="dimmed">{common.none}</Text>
          )
        }
      </QueryView>
    </Section>
  )

  function tierOf({ tier, next_tier, next_tier_points }: Tier): string {
    const next = next_tier !== null && next_tier_points !== null && texts.nextTier(count(next_tier_points), next_tier)
    return [tier ?? common.none, next].filter(Boolean).join(' · ')
  }
}

type Tier = { tier: string | null; next_tier: string | null; next_tier_points: number | null }
