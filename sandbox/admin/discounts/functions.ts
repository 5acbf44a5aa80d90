import type { Discount } from '../../state/discounts/discounts.ts'
import { listFunctions, type ShopFunction } from '../../state/discounts/functions.ts'
import type { Api, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'
import { theApp } from '../shop.ts'

const appKey = () => theApp().apiKey
const all = (api: Api) => listFunctions(api.db.direct, api.shop.storeId)

/** The function behind a discount; one that the app has taken away is known by its id only. */
export async function appDiscountType({ body, title, classes }: Discount, _args: unknown, api: Api) {
  const found = (await all(api)).find(({ id }) => id === body.functionId)
  return {
    functionId: body.functionId ?? '',
    title: found?.title ?? title,
    description: found?.description ?? null,
    discountClass: classes[0] ?? 'ORDER',
    discountClasses: classes
  }
}

export const functionResolvers: Resolvers = {
  QueryRoot: {
    shopifyFunction: async (_root: unknown, { id }: { id: string }, api: Api) =>
      (await all(api)).find((found) => found.id === id) ?? null,
    shopifyFunctions: async (_root: unknown, args: PageArgs & { apiType?: string | null }, api: Api) => {
      const found = (await all(api)).filter(({ apiType }) => !args.apiType || apiType === args.apiType)
      return pageOf(found, args)
    }
  },
  ShopifyFunction: {
    id: ({ id }: ShopFunction) => id,
    app: theApp,
    appKey,
    apiVersion: () => '2026-07',
    useCreationUi: () => false
  },
  AppDiscountType: { app: theApp, appKey }
}
