import type { Ctx } from '#kit/postgres'
import { decodeMetafield, type MetafieldsByKey } from '#platform'
import {
  listStorefrontSettings,
  type Means,
  STOREFRONT_SETTINGS,
  takeOverStorefrontSetting
} from '#storefront-settings'
import { notify } from '#stores'
import { deriveShopMetafields } from './derive-shop.ts'
import { general } from './shop/general.ts'
import { hashOf } from './wanted-metafields.ts'

/** Of an old value so much is kept in alerts, more than any key of the service has; a longer one takes several. */
const MAX_SHOWN = 20_000
const SHOWN_IN_ONE = 1_500

/**
 * What the shop had for the storefront before it was connected becomes the store's own, where it can be read and nothing was entered here.
 * The rest is reported, and replaced.
 */
export async function takeOverSettings(ctx: Ctx, found: MetafieldsByKey, means: Means): Promise<void> {
  for (const { setting, value, isEntered } of await listStorefrontSettings(ctx)) {
    const there = found.get(setting.key)
    if (!there || isEntered) continue
    const read = decodeMetafield(setting, there.value)
    const problem = read.ok ? setting.refuse(read.value, means) : read.problems[0]!
    if (read.ok && !problem) await takeOverStorefrontSetting(ctx, setting, read.value, value)
    else await reportReplaced(ctx, setting.key, there.value, `since ${problem!.field} ${problem!.message}`)
  }
  await reportOthers(ctx, found)
}

/** What the service derives itself (plans, loyalty, wallet passes) cannot be taken over from a shop. */
async function reportOthers(ctx: Ctx, found: MetafieldsByKey): Promise<void> {
  const settings = new Set<string>(STOREFRONT_SETTINGS.map(({ key }) => key))
  const wanted = await deriveShopMetafields(ctx)
  for (const { key, type, value } of found.values()) {
    if (settings.has(key) || key === general.key || wanted.get(key)?.hash === hashOf(type, value)) continue
    await reportReplaced(ctx, key, value, 'since the service derives it from its own data')
  }
}

async function reportReplaced(ctx: Ctx, key: string, value: string, why: string): Promise<void> {
  // The value may hold what no text of the database takes.
  const characters = [...value.replaceAll('\0', '').slice(0, MAX_SHOWN)]
  const count = Math.max(1, Math.ceil(characters.length / SHOWN_IN_ONE))
  for (let part = 1; part <= count; part++) {
    const shown = characters.slice((part - 1) * SHOWN_IN_ONE, part * SHOWN_IN_ONE).join('')
    const was = count === 1 ? 'it was' : `part ${part} of ${count} of what it was:`
    await notify(ctx, {
      kind: 'metafield_not_taken_over',
      subject: `The metafield ${key} was replaced`,
      message: `The metafield ${key} of the shop could not be taken over, ${why}. It is replaced by what the service has; ${was} ${shown}`
    })
  }
}
