import { type Ctx, json, oneOf, row, sql, text } from '#kit/postgres'
import { type DunningSettings, dunningOf, type KeptSettings } from './settings.ts'
import { PLATFORM_PROFILES, type PlatformProfileName } from './store.ts'

/** What the domain asks of its store: whose spelling its platform speaks, where it lives, how it treats declines. */
export type StoreFacts = { profile: PlatformProfileName; timezone: string; currency: string; dunning: DunningSettings }

const Facts = row({
  profile: oneOf(...PLATFORM_PROFILES),
  timezone: text,
  currency: text,
  settings: json<KeptSettings>()
})

const asked = new WeakMap<object, Promise<StoreFacts>>()

/** The facts of the transaction's store, read once per transaction. */
export function storeFacts(ctx: Ctx): Promise<StoreFacts> {
  let facts = asked.get(ctx.tx)
  if (!facts) {
    facts = ctx.tx
      .one(
        Facts,
        sql`select platform_profile as profile, timezone, currency, settings from stores where store_id = ${ctx.storeId}`
      )
      .then(({ settings, ...rest }) => ({ ...rest, dunning: dunningOf(settings) }))
    asked.set(ctx.tx, facts)
  }
  return facts
}
