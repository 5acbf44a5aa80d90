import { type Bound, type Ctx, instant, json, nullable, oneOf, row, sql, text, textList } from '#kit/postgres'
import { PLATFORM_PROFILES, type PlatformProfileName } from './store.ts'

/** The facts of its store that the domain needs: the wire profile of its platform, its time zones, its currency. */
export type StoreContext = {
  profile: PlatformProfileName
  timezone: string
  /** The time zones that the shop had before, in order. */
  pastTimezones: string[]
  currency: string
  /** Since when the store is held after a restore, while its platform is read; null while it is not (real time). */
  restoredAt: Temporal.Instant | null
  /** The settings that were changed, by section; a module reads its own with `settingsOf`. */
  settings: object
}

const Facts = row({
  profile: oneOf(...PLATFORM_PROFILES),
  timezone: text,
  pastTimezones: textList,
  currency: text,
  restoredAt: nullable(instant),
  settings: json<object>()
})

const read = new WeakMap<object, Promise<StoreContext>>()

/** The facts of the transaction's store, read once per transaction. */
export function storeContext(ctx: Bound): Promise<StoreContext> {
  let facts = read.get(ctx.tx)
  if (!facts) {
    facts = ctx.tx.one(
      Facts,
      sql`select platform_profile as profile, timezone, past_timezones, currency, restored_at, settings
            from stores where store_id = ${ctx.storeId}`
    )
    read.set(ctx.tx, facts)
  }
  return facts
}

/** After a change of the store's row: the transaction reads it again. */
export function forgetStoreContext(ctx: Ctx): void {
  read.delete(ctx.tx)
}
