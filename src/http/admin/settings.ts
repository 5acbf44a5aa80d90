import { type Static, type TSchema, Type } from 'typebox'
import { Refusal } from '#kit/refusal'
import { type KeptSettings, type StoreSettings, storeFacts, theStore, updateSettings } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import type { Surface } from '../shared/surface.ts'
import { compileValidator } from '../shared/validation.ts'
import { StoreParams } from './fields.ts'

const RetryAfterDays = Type.Array(Type.Integer({ minimum: 1, maximum: 60 }), {
  maxItems: 10,
  description: 'at most 10 whole numbers of days from 1 to 60'
})
const dunning = {
  retry_after_days: RetryAfterDays,
  on_failure: Type.Union([Type.Literal('cancel'), Type.Literal('pause'), Type.Literal('fail')], {
    description: 'cancel, pause or fail'
  }),
  hard_decline_wait_days: Type.Union([Type.Integer({ minimum: 1, maximum: 365 }), Type.Null()], {
    description: 'a whole number of days from 1 to 365, or null for ever'
  })
}
const inventory = {
  retry_after_days: RetryAfterDays,
  on_failure: Type.Union([Type.Literal('skip'), Type.Literal('pause'), Type.Literal('cancel'), Type.Literal('fail')], {
    description: 'skip, pause, cancel or fail'
  })
}
const billing = {
  catch_up: Type.Union([Type.Literal('latest'), Type.Literal('all')], { description: 'latest or all' })
}
const action_required = {
  remind_after_hours: Type.Array(Type.Integer({ minimum: 1, maximum: 168 }), {
    maxItems: 5,
    description: 'at most 5 whole numbers of hours from 1 to 168, each above the one before'
  })
}
const reactivation_grace_hours = Type.Integer({
  minimum: 0,
  maximum: 720,
  description: 'a whole number of hours from 0 to 720'
})

const SettingsBody = Type.Object({
  dunning: Type.Object({ ...dunning, inventory: Type.Object(inventory) }),
  billing: Type.Object(billing),
  action_required: Type.Object(action_required),
  reactivation_grace_hours
})
const InventoryChange = Type.Partial(Type.Object(inventory))
const DunningChange = Type.Partial(Type.Object({ ...dunning, inventory: anObject() }))
const BillingChange = Type.Partial(Type.Object(billing))
const ActionRequiredChange = Type.Partial(Type.Object(action_required))
const SettingsChange = Type.Partial(
  Type.Object({ dunning: anObject(), billing: anObject(), action_required: anObject(), reactivation_grace_hours })
)

/** Its fields are looked at one by one, so that a refusal names the one that is wrong. */
function anObject() {
  return Type.Unsafe<object>(Type.Object({}, { additionalProperties: true, description: 'an object of settings' }))
}

/** The part of a change that lies under `name`, checked as a body is. */
function partOf<T extends TSchema>(name: string, schema: T, given: object | undefined): Static<T> | undefined {
  if (given === undefined) return undefined
  const check = compileValidator({ schema, method: 'PATCH', url: '', httpPart: 'body' })
  const checked = check(given) as { value: Static<T> } | { error: Refusal }
  if ('value' in checked) return checked.value
  const named = checked.error.details.map(({ field, message }) => ({ field: `${name}.${field}`, message }))
  throw new Refusal('invalid_request', named.map(({ field, message }) => `${field} ${message}`).join('; '), named)
}

/** What the people who run a store may set: how failed charges are treated, when customers are reminded, and how long a cancellation can be taken back. */
export function registerSettings(admin: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  admin.get(
    '/stores/:store/settings',
    { schema: { params: StoreParams, response: { 200: SettingsBody } } },
    async ({ params }) => {
      const { storeId } = await theStore(db, params.store)
      return presentSettings(await db.inStore(storeId, storeFacts))
    }
  )

  admin.patch(
    '/stores/:store/settings',
    { schema: { params: StoreParams, body: SettingsChange, response: { 200: SettingsBody } } },
    async ({ params, body }) => {
      const { storeId } = await theStore(db, params.store)
      return presentSettings(await db.inStore(storeId, (ctx) => updateSettings(ctx, changeFrom(body))))
    }
  )
}

function presentSettings(settings: StoreSettings): Static<typeof SettingsBody> {
  const { dunning, billing, actionRequired, reactivationGraceHours } = settings
  return {
    dunning: {
      retry_after_days: dunning.retryAfterDays,
      on_failure: dunning.onFailure,
      hard_decline_wait_days: dunning.hardDeclineWaitDays,
      inventory: { retry_after_days: dunning.inventory.retryAfterDays, on_failure: dunning.inventory.onFailure }
    },
    billing: { catch_up: billing.catchUp },
    action_required: { remind_after_hours: actionRequired.remindAfterHours },
    reactivation_grace_hours: reactivationGraceHours
  }
}

function changeFrom(body: Static<typeof SettingsChange>): KeptSettings {
  const dunning = partOf('dunning', DunningChange, body.dunning)
  const inventory = partOf('dunning.inventory', InventoryChange, dunning?.inventory)
  const billing = partOf('billing', BillingChange, body.billing)
  const actionRequired = partOf('action_required', ActionRequiredChange, body.action_required)
  return given({
    dunning:
      dunning &&
      given({
        retryAfterDays: dunning.retry_after_days,
        onFailure: dunning.on_failure,
        hardDeclineWaitDays: dunning.hard_decline_wait_days,
        inventory: inventory && given({ retryAfterDays: inventory.retry_after_days, onFailure: inventory.on_failure })
      }),
    billing: billing && given({ catchUp: billing.catch_up }),
    actionRequired: actionRequired && given({ remindAfterHours: actionRequired.remind_after_hours }),
    reactivationGraceHours: body.reactivation_grace_hours
  })
}

/** Without what was left out: only what is there is changed. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
