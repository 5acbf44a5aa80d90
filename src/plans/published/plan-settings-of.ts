import { decimalOf } from '#kit/money'
import { mainCadence } from '../main-plans.ts'
import type { Plan } from '../plan.ts'
import type { PublishedSettings } from './plan-settings-fields.ts'

type WelcomeOffer = NonNullable<Plan['perks']['welcomeOffer']>
type Reduction = WelcomeOffer['reduction']
type Scope = WelcomeOffer['scope']

const NOTHING_REDUCED = { value: null, type: null }
const NO_SCOPE = { at: null, products: [], collections: [] }

/** Which functions of the platform run for the store. */
type ActiveFunctions = { vipDiscount: boolean }

/** What of a plan its settings say. */
export type SaidOfPlan = Omit<
  Plan,
  | 'id'
  | 'maxCycles'
  | 'currentVersion'
  | 'versions'
  | 'productIds'
  | 'platformSellingPlanGroupId'
  | 'createdAt'
  | 'updatedAt'
>

/** A main plan as themes and functions read it. Null: the store has no VIP plan, which is said by a disabled one without a name. */
export function planSettingsOf(plan: SaidOfPlan | null, functions: ActiveFunctions): PublishedSettings {
  const { discount, welcomeOffer, freeShipping } = plan?.perks ?? {}
  const money = (minor: number) => decimalOf(minor, plan!.currency)
  const reduced = (r: Reduction | undefined) =>
    r === undefined
      ? NOTHING_REDUCED
      : { value: r.type === 'fixed' ? money(r.amountMinor) : String(r.percent), type: r.type }
  const [vip, welcome] = [reduced(discount?.reduction), reduced(welcomeOffer?.reduction)]
  const [vipScope, welcomeScope] = [scopeOf(discount?.scope), scopeOf(welcomeOffer?.scope)]
  const cadence = plan && mainCadence(plan)
  const threshold = freeShipping?.threshold ?? null
  const givesCredit = plan !== null && plan.creditMinor > 0
  return {
    status: plan?.status === 'enabled',
    type: plan?.type === 'elite' ? 2 : 1,
    product_name: plan?.name ?? '',
    product_price: plan && money(plan.priceMinor),
    product_gid: plan?.platformProductId ?? null,
    product_variant_id: plan?.platformVariantId ?? null,
    plan_id: plan?.platformSellingPlanId ?? null,
    plan_name: plan?.name ?? '',
    tier_name: plan?.tierName ?? '',
    i_name: cadence?.name ?? null,
    i_count: cadence?.count ?? null,
    scripts_on: functions.vipDiscount,
    scripts_st_on: givesCredit && plan.creditType === 'function' ? true : null,
    function_on: functions.vipDiscount,
    checkout_ui: null,
    otp_enabled: null,
    allowed_countries: plan?.allowedCountries ?? [],
    dp: discount !== undefined,
    dv: vip.value,
    dt: vip.type,
    dat: vipScope.at,
    dproduct: vipScope.products,
    dcollection: vipScope.collections,
    ds: discount !== undefined && discount.steps.length > 0,
    ds_info: (discount?.steps ?? []).map(({ quantity, ...reduction }) => {
      const { value, type } = reduced(reduction)
      return { quantity, value: value!, type: type! }
    }),
    dct: discount ? (discount.priceBase === 'original' ? 1 : 2) : null,
    stack_with_subs: discount?.stackWithSubscriptions ?? false,
    store_credit: givesCredit,
    store_credit_type: givesCredit ? plan.creditType : null,
    wo: welcomeOffer !== undefined,
    wo_v: welcome.value,
    wo_t: welcome.type,
    wo_at: welcomeScope.at,
    wo_product: welcomeScope.products,
    wo_collection: welcomeScope.collections,
    ft: Boolean(plan?.trialType),
    ft_price: plan?.trialType ? money(plan.trialPriceMinor) : null,
    ft_type: plan?.trialType ? (plan.trialType === 'days' ? 2 : 1) : null,
    ft_duration: plan?.trialType === 'days' ? plan.trialDays : null,
    fs: freeShipping !== undefined,
    fs_country: freeShipping?.countries ?? [],
    fs_message: freeShipping?.message ?? '',
    fs_method_name: freeShipping?.methodName ?? '',
    fs_threshold_type: threshold?.type ?? '0',
    fs_threshold_value:
      threshold === null ? null : threshold.type === 'items' ? String(threshold.items) : money(threshold.amountMinor)
  }
}

function scopeOf(scope: Scope | undefined) {
  if (!scope) return NO_SCOPE
  return {
    at: scope.appliesTo,
    products: scope.appliesTo === 'product' ? scope.productIds : [],
    collections: scope.appliesTo === 'collection' ? scope.collectionIds : []
  }
}
