import { type Ctx, json, oneOf, row, sql, text, textList } from '#kit/postgres'
import { type KeptSettings, type StoreSettings, settingsOf } from './settings.ts'
import { PLATFORM_PROFILES, type PlatformProfileName } from './store.ts'

/** What the domain asks of its store: whose spelling its platform speaks, where it lives, and what its people have set. */
export type StoreFacts = {
  profile: PlatformProfileName
  timezone: string
  /** The zones that the shop has lived in before, in order. */
  pastTimezones: string[]
  currency: string
} & StoreSettings

const Facts = row({
  profile: oneOf(...PLATFORM_PROFILES),
  timezone: text,
  pastTimezones: textList,
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
        sql`select platform_profile as profile, timezone, past_timezones, currency, settings
              from stores where store_id = ${ctx.storeId}`
      )
      .then(({ settings, ...rest }) => ({ ...rest, ...settingsOf(settings) }))
    asked.set(ctx.tx, facts)
  }
  return facts
}
