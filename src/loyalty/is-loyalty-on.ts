import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import { loyaltySettings } from './settings.ts'

/** Whether loyalty is on: customers earn and spend. */
export const isLoyaltyOn = async (ctx: Ctx): Promise<boolean> =>
  (await settingsOf(ctx, loyaltySettings)).enabled === 'on'
