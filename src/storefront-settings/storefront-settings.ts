import { type DescribedKey, describeKeys, type ObjectField, type ObjectShape } from '#kit/json-fields'
import { record } from '#kit/outbox'
import { type Ctx, row, sql, text } from '#kit/postgres'
import { decodeMetafield, encodeMetafield, MAX_METAFIELD_BYTES, readMetafield } from '#platform'
import type { Means, StorefrontSetting } from './define-storefront-setting.ts'
import { storefrontSettingChanged } from './events/storefront-setting-changed.ts'
import { settingTooLong, storefrontSettingRefused, unknownStorefrontSetting } from './refusals.ts'
import * as settingList from './setting-list.ts'

/** Every setting. */
export const STOREFRONT_SETTINGS: readonly StorefrontSetting[] = Object.values(settingList)

/** The setting of a key. Refuses a key that is none, and says which there are. */
export function storefrontSettingOf(key: string): StorefrontSetting {
  const found = STOREFRONT_SETTINGS.find((one) => one.key === key)
  if (!found) throw unknownStorefrontSetting(STOREFRONT_SETTINGS.map((one) => one.key))
  return found
}

/** What can be entered of a setting, key by key. */
export const describeStorefrontSetting = (setting: StorefrontSetting): DescribedKey[] =>
  describeKeys((setting.field as unknown as ObjectField<ObjectShape>).shape)

/** The value of one setting in the transaction's store. */
export async function storefrontSetting<T>(ctx: Ctx, setting: StorefrontSetting<T>): Promise<T> {
  const found = await ctx.tx.maybeOne(
    row({ value: text }),
    sql`select value from storefront_settings where store_id = ${ctx.storeId} and key = ${setting.key}`
  )
  return found === null ? setting.initial : stored(setting, found.value)
}

/** Every setting of the store with the text of its metafield; `isEntered`: somebody has changed it. */
export async function listStorefrontSettings(
  ctx: Ctx
): Promise<{ setting: StorefrontSetting; value: string; isEntered: boolean }[]> {
  const rows = await ctx.tx.many(
    row({ key: text, value: text }),
    sql`select key, value from storefront_settings where store_id = ${ctx.storeId}`
  )
  const values = new Map(rows.map(({ key, value }) => [key, value]))
  return STOREFRONT_SETTINGS.map((setting) => ({
    setting,
    value: values.get(setting.key) ?? encodeMetafield(setting, setting.initial),
    isEntered: values.has(setting.key)
  }))
}

/**
 * Changes a setting: fields that are left out stay, and null is the initial value again. Refuses what its fields do not accept, with
 * all problems. Returns the JSON of the setting after that.
 */
export async function updateStorefrontSetting(
  ctx: Ctx,
  key: string,
  change: Record<string, unknown>,
  means: Means
): Promise<Record<string, unknown>> {
  const setting = storefrontSettingOf(key)
  const before = await lockSetting(ctx, setting)
  const read = readMetafield(setting, merged(setting, before, change))
  if (!read.ok) throw storefrontSettingRefused(read.problems)
  const problem = setting.refuse(read.value, means)
  if (problem) throw storefrontSettingRefused([problem])
  await saveSetting(ctx, setting, read.value, before)
  return setting.field.write(read.value) as Record<string, unknown>
}

/**
 * Saves a value that the shop had before it was connected. What somebody has entered meanwhile stays. `before`: the text until now.
 */
export async function takeOverStorefrontSetting(
  ctx: Ctx,
  setting: StorefrontSetting,
  value: unknown,
  before: string
): Promise<void> {
  const encoded = encodeMetafield(setting, value)
  if (encoded === before) return
  const saved = await ctx.tx.run(sql`
    insert into storefront_settings (store_id, key, value, updated_at)
    values (${ctx.storeId}, ${setting.key}, ${encoded}, ${ctx.now})
    on conflict (store_id, key) do nothing`)
  if (saved > 0) await record(ctx, storefrontSettingChanged({ storeId: ctx.storeId, key: setting.key }))
}

/** Saves a value that was entered, of a setting that is locked. `before`: the text until now. */
async function saveSetting(ctx: Ctx, setting: StorefrontSetting, value: unknown, before: string): Promise<void> {
  const encoded = encodeMetafield(setting, value)
  if (Buffer.byteLength(encoded) > MAX_METAFIELD_BYTES) throw settingTooLong(setting.key)
  if (encoded === before) return
  await ctx.tx.run(sql`
    update storefront_settings set value = ${encoded}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and key = ${setting.key}`)
  await record(ctx, storefrontSettingChanged({ storeId: ctx.storeId, key: setting.key }))
}

/** The text of a setting; nobody else changes it until the transaction ends. */
async function lockSetting(ctx: Ctx, setting: StorefrontSetting): Promise<string> {
  await ctx.tx.run(sql`
    insert into storefront_settings (store_id, key, value, updated_at)
    values (${ctx.storeId}, ${setting.key}, ${encodeMetafield(setting, setting.initial)}, ${ctx.now})
    on conflict (store_id, key) do nothing`)
  const { value } = await ctx.tx.one(
    row({ value: text }),
    sql`select value from storefront_settings where store_id = ${ctx.storeId} and key = ${setting.key} for update`
  )
  return value
}

/** Objects are merged field by field, at every depth. */
function merged(setting: StorefrontSetting, before: string, change: Record<string, unknown>): unknown {
  const initial = setting.field.write(setting.initial) as Record<string, unknown>
  return merge(JSON.parse(before), change, initial)
}

function merge(before: Record<string, unknown>, change: Record<string, unknown>, initial: Record<string, unknown>) {
  const after: Record<string, unknown> = { ...before }
  for (const [name, given] of Object.entries(change)) {
    const [was, first] = [before[name], initial[name]]
    if (given === null && first === undefined) delete after[name]
    else if (given === null) after[name] = first
    else after[name] = isObject(was) && isObject(given) ? merge(was, given, isObject(first) ? first : {}) : given
  }
  return after
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function stored<T>(setting: StorefrontSetting<T>, value: string): T {
  const read = decodeMetafield(setting, value)
  if (read.ok) return read.value
  throw new Error(`The stored value of ${setting.key} cannot be read: ${read.problems[0]!.field}`)
}
