import { isoOf } from '#kit/clock'
import type { PlatformClient } from '../wire/client.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { type FoundDiscount, inputOf, readDiscount, type ShopDiscount } from './automatic-discount.ts'
import {
  AutomaticActivate,
  AutomaticAppCreate,
  AutomaticAppUpdate,
  AutomaticBasicCreate,
  AutomaticBasicUpdate,
  AutomaticDeactivate,
  AutomaticDelete,
  AutomaticDiscountsByIds,
  AutomaticDiscountsByTitle,
  AutomaticFreeShippingCreate,
  AutomaticFreeShippingUpdate,
  FunctionsOfApp
} from './documents.ts'

/** A function that the app has brought to the shop. `apiType`: what it does, such as `discount`. */
export type AppFunction = { id: string; handle: string; apiType: string }

export type AutomaticDiscountsApi = {
  /** By the platform's numbers; leaves out those that it does not have any more. Amounts are of this currency. */
  findMany(ids: string[], currency: string): Promise<PlatformResult<Map<string, FoundDiscount>>>
  /** Those of exactly this title, newest first: at most three. */
  findByTitle(title: string, currency: string): Promise<PlatformResult<FoundDiscount[]>>
  /** Returns its number. Not safe to repeat: look for its title first. */
  create(discount: ShopDiscount, at: { startsAt: Temporal.Instant; currency: string }): Promise<PlatformResult<string>>
  /** Makes the discount that was found like this one; one of another kind cannot be. Safe to repeat. */
  update(found: FoundDiscount, discount: ShopDiscount, currency: string): Promise<PlatformResult<null>>
  /** From now on it counts again, without an end. Safe to repeat. */
  activate(id: string): Promise<PlatformResult<null>>
  /** From now on it does not count. Safe to repeat. */
  deactivate(id: string): Promise<PlatformResult<null>>
  delete(id: string): Promise<PlatformResult<null>>
  /** The functions that the app has brought to the shop. */
  listFunctions(): Promise<PlatformResult<AppFunction[]>>
}

const CREATE = { app: AutomaticAppCreate, basic: AutomaticBasicCreate, free_shipping: AutomaticFreeShippingCreate }
const UPDATE = { app: AutomaticAppUpdate, basic: AutomaticBasicUpdate, free_shipping: AutomaticFreeShippingUpdate }

export function createAutomaticDiscountsApi(client: PlatformClient): AutomaticDiscountsApi {
  const gidOf = (id: string) => client.gid('DiscountAutomaticNode', id)
  const gid = (type: string, id: string) => client.gid(type, id)
  return {
    findMany: (ids, currency) =>
      findByIds(client, 'DiscountAutomaticNode', AutomaticDiscountsByIds, ids, (node) => readDiscount(node, currency)),
    async findByTitle(title, currency) {
      // A quotation mark cannot be searched for; what the platform finds is compared anyway.
      const query = `title:"${title.replace(/["\\]/g, ' ')}"`
      const found = await client.query(AutomaticDiscountsByTitle, { query }, (data) =>
        data
          .at('automaticDiscountNodes')
          .list('nodes')
          .map((node) => readDiscount(node, currency))
      )
      return found.ok ? succeeded(found.value.filter((one) => one.title === title)) : found
    },
    create: (discount, { startsAt, currency }) =>
      client.mutate(
        CREATE[discount.kind],
        { input: { ...inputOf(discount, { gid, currency, found: null }), startsAt: isoOf(startsAt) } },
        (payload) =>
          discount.kind === 'app'
            ? payload.at('automaticAppDiscount').id('discountId')
            : payload.at('automaticDiscountNode').id('id')
      ),
    update: (found, discount, currency) =>
      client.mutate(
        UPDATE[discount.kind],
        { id: gidOf(found.id), input: inputOf(discount, { gid, currency, found }) },
        () => null
      ),
    activate: (id) => client.mutate(AutomaticActivate, { id: gidOf(id) }, () => null),
    deactivate: (id) => client.mutate(AutomaticDeactivate, { id: gidOf(id) }, () => null),
    delete: (id) => client.mutate(AutomaticDelete, { id: gidOf(id) }, () => null),
    listFunctions: () =>
      client.query(FunctionsOfApp, {}, (data) =>
        data
          .at('shopifyFunctions')
          .list('nodes')
          .map((one) => ({ id: one.text('id'), handle: one.text('handle'), apiType: one.text('apiType') }))
      )
  }
}
