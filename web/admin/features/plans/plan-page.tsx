import { Anchor, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { BackIcon } from '../../shared/ui/icons.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { firstCart } from './cart/cart.ts'
import { CartPreview } from './cart/cart-preview.tsx'
import { PerksSection } from './perks/perks-section.tsx'
import { PlanFacts } from './plan/plan-facts.tsx'
import { PlanStatus } from './plan/plan-status.tsx'
import { usePlanTexts } from './plan/texts.ts'
import { Versions } from './plan/versions.tsx'
import { type PlanWithVersions, planQuery } from './queries.ts'

/** One plan: who may join and for what price, what members get, and what a cart costs them. */
export function PlanPage() {
  const { id } = useKnownStore()
  const { plan = '' } = useParams()
  const found = useQuery(planQuery(id, plan))
  const texts = usePlanTexts()
  return (
    <Stack gap="sm">
      <Anchor component={Link} to={`/stores/${id}/plans`} size="sm">
        <Group gap={4} component="span">
          <BackIcon size={14} />
          {texts.toList}
        </Group>
      </Anchor>
      <QueryView query={found} height={400}>
        {(known) => <KnownPlan plan={known} />}
      </QueryView>
    </Stack>
  )
}

function KnownPlan({ plan }: { plan: PlanWithVersions }) {
  const [cart, setCart] = useState(firstCart)
  return (
    <Page title={plan.name} aside={<PlanStatus status={plan.status} />}>
      <PerksSection plan={plan} cart={cart} />
      {plan.type !== 'product' && <CartPreview plan={plan.id} cart={cart} onChange={setCart} />}
      <PlanFacts plan={plan} />
      <Versions plan={plan} />
    </Page>
  )
}
