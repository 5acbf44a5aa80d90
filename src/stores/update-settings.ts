import type { Ctx } from '#kit/postgres'
import { lockSettings, writeSettings } from './queries.ts'
import { changedSettings, checkSettings, type KeptSettings, type StoreSettings, settingsOf } from './settings.ts'

/**
 * Changes what a store has set; what is left out stays. It holds from the next decline, due charge or cancellation on:
 * retries that are announced keep their dates. Refuses values that billing could not go by.
 */
export async function updateSettings(ctx: Ctx, change: KeptSettings): Promise<StoreSettings> {
  const kept = changedSettings(await lockSettings(ctx), checkSettings(change))
  await writeSettings(ctx, kept)
  return settingsOf(kept)
}
