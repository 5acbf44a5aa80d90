import { planSettingsField } from '#plans'
import { defineMetafield } from '#platform'

/** The main Elite plan (spec 3, svc_plan_settings2). */
export const planSettings2 = defineMetafield({
  owner: 'shop',
  key: 'svc_plan_settings2',
  type: 'json',
  name: 'Elite plan',
  help: 'The main Elite plan with its perks. It does not exist where the store has none.',
  field: planSettingsField
})
