import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { DialogButton } from '../../shared/ui/dialog-button.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { CreatePlan } from './create-plan.tsx'
import { useMainPlanOf } from './main-plan-of.ts'
import { MainPlans } from './main-plans.tsx'
import { usePerksTexts } from './perks/texts.ts'
import { PERK_NAMES } from './perks/values.ts'
import { usePriceOfCycle } from './plan/cycle.ts'
import { PlanStatus } from './plan/plan-status.tsx'
import { type Plan, plansQuery } from './queries.ts'
import { StorefrontPerks } from './storefront/storefront-perks.tsx'
import { usePlansTexts } from './texts.ts'

/** What customers can join, and which perks count. */
export function PlansPage() {
  const { id } = useKnownStore()
  const plans = useQuery(plansQuery(id))
  const texts = usePlansTexts()
  const { pages } = useTexts()
  return (
    <Page
      title={pages.plans}
      aside={
        <May permission="manage">
          <DialogButton label={texts.create} title={texts.create} variant="filled">
            {(close) => <CreatePlan onClose={close} />}
          </DialogButton>
        </May>
      }
    >
      <Text c="dimmed" size="sm" maw={720}>
        {texts.about}
      </Text>
      <QueryView query={plans} height={240}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={texts.none} text={texts.noneText} />
          ) : (
            <>
              <Plans plans={all} />
              <MainPlans plans={all} />
            </>
          )
        }
      </QueryView>
      <StorefrontPerks />
    </Page>
  )
}

function Plans({ plans }: { plans: Plan[] }) {
  const { id } = useKnownStore()
  const texts = usePlansTexts()
  const { pages } = useTexts()
  const priceOfCycle = usePriceOfCycle()
  return (
    <PlainTable
      label={pages.plans}
      rows={plans}
      keyOf={(plan) => plan.id}
      empty=""
      columns={[
        {
          title: texts.name,
          cell: (plan) => (
            <Anchor component={Link} to={`/stores/${id}/plans/${plan.id}`} fw={500} size="sm" className="wrap-anywhere">
              {plan.name}
            </Anchor>
          )
        },
        { title: texts.type, cell: ({ type }) => texts.types[type] },
        { title: texts.price, cell: (plan) => priceOfCycle(plan, plan.currency) },
        { title: texts.status, cell: ({ status }) => <PlanStatus status={status} /> },
        { title: texts.perks, cell: (plan) => <PerkNames plan={plan} /> }
      ]}
    />
  )
}

/** The names of its perks; their sentences are on its page. */
function PerkNames({ plan }: { plan: Plan }) {
  const { names } = usePerksTexts()
  const { noPerks, perksOf } = usePlansTexts()
  const main = useMainPlanOf()(plan)
  if (main) return perksOf(main.name)
  const has = PERK_NAMES.filter((name) => plan.perks[name] !== null)
  return has.length === 0 ? noPerks : has.map((name) => names[name]).join(', ')
}
