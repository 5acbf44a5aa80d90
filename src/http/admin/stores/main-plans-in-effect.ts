import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { type ExplainedMainPlan, explainMainPlans } from '#plans'
import { OrNull } from '#resources'

const inEffect = (type: string) =>
  Type.Object({
    plan_id: OrNull(
      Type.String({ description: `The main ${type} plan; null when there is none`, examples: ['plan_3'] })
    ),
    note: OrNull(
      Type.String({
        description: 'Why it is not the one that was chosen, or not the oldest enabled one; null when it is',
        examples: ['plan_5 is disabled, so the oldest enabled plan that can be the main one counts']
      })
    )
  })

/** Which plans are the main ones: what the setting `main_plan` comes to. */
export const MainPlansInEffect = Type.Object(
  { vip: inEffect('VIP'), elite: inEffect('Elite') },
  { description: 'What `main_plan` comes to; it cannot be set' }
)

export async function presentMainPlans(ctx: Ctx): Promise<Static<typeof MainPlansInEffect>> {
  const { vip, elite } = await explainMainPlans(ctx)
  return { vip: present(vip), elite: present(elite) }
}

const present = ({ plan, note }: ExplainedMainPlan) => ({ plan_id: plan && publicId('plan', plan.id), note })
