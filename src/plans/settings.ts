import { defineSettings, idOrNull, type SettingsOf, setting } from '#kit/define-settings'

const HELP =
  'whose perks members of this type get, and which the storefront shows; null for the oldest enabled one. It bills every 1 to 28 weeks or months ' +
  '(7 days are a week, a year is 12 months). While the plan is disabled or bills otherwise, the default counts: `main_plan_in_effect` says which ' +
  'plan it is, and why.'

/** The main plan of each type of membership. */
export const mainPlanSettings = defineSettings('mainPlan', {
  vip: setting({
    accepts: idOrNull('plan', 'plan_3'),
    default: null,
    flag: '--main-vip-plan <plan>',
    help: `The VIP plan ${HELP}`
  }),
  elite: setting({
    accepts: idOrNull('plan', 'plan_4'),
    default: null,
    flag: '--main-elite-plan <plan>',
    help: `The same for Elite.`
  })
})

/** The plans that a store has chosen, by their public ids; null: none. */
export type ChosenPlans = SettingsOf<typeof mainPlanSettings.shape>
