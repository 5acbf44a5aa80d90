import { planSettingsField } from '#plans'
import { defineMetafield } from '#platform'

/** The main VIP plan (spec 3, svc_plan_settings). */
export const planSettings = defineMetafield({
  owner: 'shop',
  key: 'svc_plan_settings',
  type: 'json',
  name: 'VIP plan',
  help: 'The main VIP plan with its perks; `status` is 0 where the store has none.',
  field: planSettingsField
})
