import {
  type SettingsChange,
  type SettingsOf,
  type SettingsSection,
  type SettingsShape,
  withChange,
  withDefaults
} from '#kit/define-settings'
import type { Ctx } from '#kit/postgres'
import { lockSettings, writeSettings } from './queries.ts'
import { forgetStoreContext, storeContext } from './store-context.ts'

/**
 * The settings of one section for the transaction's store; app/settings-sections.ts lists the sections. They are read
 * with the store's context, once per transaction.
 */
export async function settingsOf<S extends SettingsShape>(
  ctx: Ctx,
  section: SettingsSection<S>
): Promise<SettingsOf<S>> {
  const { settings } = await storeContext(ctx)
  return withDefaults(section, settings)
}

/**
 * Changes settings of one section; what the change leaves out stays. It applies from the next decline, due charge or
 * cancellation on: retries that are scheduled keep their dates. Refuses values that a setting does not accept.
 */
export async function updateSettings<S extends SettingsShape>(
  ctx: Ctx,
  section: SettingsSection<S>,
  change: SettingsChange<S>
): Promise<void> {
  await writeSettings(ctx, withChange(section, await lockSettings(ctx), change))
  forgetStoreContext(ctx)
}
