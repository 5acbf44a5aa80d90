import { followLoyaltySettings, isLoyaltyOn } from '#loyalty'
import { assertDiscountSettings, refreshDiscounts, refreshShopMetafields, refreshTierTags } from '#mirror'
import { assertMainPlans } from '#plans'
import { walkSpendingNow } from '#spending'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams } from '../store.ts'
import { changeSettings, presentSettings, settingsBody, settingsPatch } from './settings-body.ts'

/** PATCH /stores/{store}/settings */
export function updateSettingsRoute(admin: Surface, { settings }: AdminDeps): void {
  admin.patch(
    '/stores/:store/settings',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'updateSettings',
        summary: 'Change the settings of a store',
        description:
          'Changes the settings that are given; the others stay. A plan that cannot be the main one of its type is refused, and so is `discounts.enforced_by` `function` without a function. Returns all settings. An empty body changes nothing.',
        params: StoreParams,
        body: settingsPatch(settings),
        response: { 200: settingsBody(settings) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const body = request.body as Record<string, unknown> & { main_plan?: Parameters<typeof assertMainPlans>[1] }
        if (body.main_plan) await assertMainPlans(ctx, body.main_plan)
        const wasOn = await isLoyaltyOn(ctx)
        await changeSettings(ctx, settings, body)
        // Customers who never held a membership may spend their credit in another way now.
        if (body.main_plan) {
          await walkSpendingNow(ctx)
        }
        if (body.main_plan || body.loyalty) await refreshShopMetafields(ctx)
        if (body.loyalty) {
          await followLoyaltySettings(ctx, { wasOn })
          await refreshTierTags(ctx)
        }
        if (body.discounts) await assertDiscountSettings(ctx)
        if (body.discounts || body.main_plan) await refreshDiscounts(ctx)
        return presentSettings(ctx, settings)
      })
  )
}
