import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { May } from '../../../shared/session/may.tsx'
import { CopyId } from '../../../shared/ui/copy-id.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import type { Plan } from '../queries.ts'
import { usePlansTexts } from '../texts.ts'
import { JoiningForm } from './joining-form.tsx'
import { usePlanTexts } from './texts.ts'

/** What a plan is, and the terms of joining it. */
export function PlanFacts({ plan }: { plan: Plan }) {
  const { timezone } = useKnownStore()
  const texts = usePlanTexts()
  const { types, type, tier } = usePlansTexts()
  const { money, count } = useFormats()
  return (
    <Section
      title={texts.facts}
      aside={
        <May permission="manage">
          <DialogButton label={texts.edit} title={texts.edit}>
            {(close) => <JoiningForm plan={plan} onClose={close} />}
          </DialogButton>
        </May>
      }
    >
      <FactList
        facts={[
          [type, types[plan.type]],
          [tier, plan.tier],
          [texts.trial, trialOf(plan)],
          [texts.countries, plan.allowed_countries.join(', ') || texts.everybody],
          [texts.cycles, plan.max_cycles === null ? texts.unlimited : count(plan.max_cycles)],
          [texts.planId, <CopyId key="id" value={plan.id} />],
          [
            plan.product_ids.length === 1 ? texts.product : texts.products,
            <Ids key="products" ids={plan.product_ids} />
          ],
          [texts.sellingPlan, <CopyId key="selling" value={plan.selling_plan_id} />],
          [texts.created, <Instant key="created" at={plan.created_at} zone={timezone} />]
        ]}
      />
    </Section>
  )

  function trialOf({ trial_type, trial_days, trial_price, currency }: Plan): string {
    if (trial_type === null) return texts.noTrial
    const length = trial_type === 'days' ? texts.trialDays(count(trial_days)) : texts.trialCycle
    return texts.trialOf(length, money(trial_price ?? 0, currency))
  }
}

const Ids = ({ ids }: { ids: string[] }) => (ids.length === 1 ? <CopyId value={ids[0]!} /> : ids.join(', '))
