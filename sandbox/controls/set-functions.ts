import { randomUUID } from 'node:crypto'
import { invalidField } from '#kit/refusal'
import type { Platform } from '../http.ts'
import { writeFunctions } from '../state/discounts/functions.ts'
import { shopOf } from './refusals.ts'

export type NewFunction = {
  /** Default: a new one. */
  id?: string
  handle: string
  /** Default: the handle. */
  title?: string
  /** What it does: discount (the default), cart_transform, … */
  apiType?: string
  description?: string
}

/** Sets the functions that the app has brought to a shop, as the deployment of an app does. Returns their ids. */
export async function setFunctions(
  platform: Platform,
  { storeId, functions }: { storeId: number; functions: NewFunction[] }
): Promise<string[]> {
  const shop = await shopOf(platform, storeId)
  const handles = functions.map(({ handle }) => handle)
  if (new Set(handles).size < handles.length) throw invalidField('functions', 'must have different handles')
  const all = functions.map(({ id, handle, title, apiType, description }) => ({
    id: id ?? randomUUID(),
    handle,
    title: title ?? handle,
    apiType: apiType ?? 'discount',
    description: description ?? null
  }))
  await platform.db.inInstallation((q) => writeFunctions(q, shop.storeId, all))
  return all.map(({ id }) => id)
}
