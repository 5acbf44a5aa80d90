import type { Ctx } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { decodeMetafield, type MetafieldsByKey } from '#platform'
import { listStorefrontSettings, takeOverStorefrontSetting } from '#storefront-settings'
import { notify } from '#stores'

/**
 * What the shop had for the storefront before it was connected becomes the store's own, where it can be read and nothing was entered here.
 * The rest is reported, and replaced.
 */
export async function takeOverSettings(ctx: Ctx, found: MetafieldsByKey): Promise<void> {
  for (const { setting, value, isEntered } of await listStorefrontSettings(ctx)) {
    const there = found.get(setting.key)
    if (!there || isEntered) continue
    const read = decodeMetafield(setting, there.value)
    const problem = read.ok ? setting.refuse(read.value) : read.problems[0]!
    if (read.ok && !problem) await takeOverStorefrontSetting(ctx, setting, read.value, value)
    else {
      await notify(ctx, {
        kind: 'metafield_not_taken_over',
        subject: `The metafield ${setting.key} was replaced`,
        // The value may hold what no text of the database takes.
        message: storableError(
          `The metafield ${setting.key} of the shop could not be taken over, since ${problem!.field} ${problem!.message}. ` +
            `It is replaced by the setting of the service; it was ${there.value.slice(0, 500)}`
        )
      })
    }
  }
}
