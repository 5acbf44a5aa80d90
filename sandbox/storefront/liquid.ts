import { Drop, Liquid, LiquidError } from 'liquidjs'
import { currencyDecimals } from '#kit/money'
import type { Platform } from '../http.ts'
import type { Shop } from '../shop.ts'
import { type Customer, displayNameOf, findCustomer } from '../state/customers.ts'
import { listMetafields, type Metafield } from '../state/metafields.ts'

/** Liquid of themes and apps. It includes no files, and what it may use up is limited: an app's page is somebody else's. */
const engine = new Liquid({
  templates: {},
  ownPropertyOnly: false,
  parseLimit: 1_000_000,
  renderLimit: 1_000,
  memoryLimit: 50_000_000
})
engine.registerFilter('money', function money(this: { context: { environments: object } }, cents: unknown) {
  const { shop } = this.context.environments as Globals
  const { currency } = shop
  const amount = Number(cents) / 10 ** currencyDecimals(currency)
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount)
})

/** A metafield in a theme: `.value` is parsed, and alone it prints its value. */
class MetafieldDrop extends Drop {
  readonly type: string
  readonly value: unknown

  constructor({ type, value }: Metafield) {
    super()
    this.type = type
    this.value = /^(json|boolean|number_integer|number_decimal|list\..*)$/.test(type) ? JSON.parse(value) : value
  }

  override valueOf() {
    return this.value
  }
}

type Fields = Record<string, Record<string, MetafieldDrop>>
type Globals = { shop: { currency: string } }

function fieldsOf(found: Metafield[]): Fields {
  const fields: Fields = {}
  for (const one of found) {
    fields[one.namespace] ??= {}
    fields[one.namespace]![one.key] = new MetafieldDrop(one)
  }
  return fields
}

/** What a theme knows of the shop and of the customer who is logged in. */
async function globalsOf({ db }: Platform, shop: Shop, baseUrl: string, customerId: string | null) {
  const { direct } = db
  const customer = customerId === null ? null : await findCustomer(direct, shop.storeId, customerId)
  const owners = [`Shop/${shop.id}`, ...(customer ? [`Customer/${customer.id}`] : [])]
  const metafields = await listMetafields(direct, shop.storeId, owners)
  const of = (type: string) => fieldsOf(metafields.filter(({ ownerType }) => ownerType === type))
  return {
    shop: {
      name: shop.name,
      email: shop.email,
      domain: shop.domain,
      permanent_domain: shop.domain,
      url: baseUrl,
      currency: shop.currency,
      metafields: of('Shop')
    },
    customer: customer && { ...customerOf(customer), metafields: of('Customer') }
  }
}

function customerOf(customer: Customer) {
  return {
    id: Number(customer.id),
    email: customer.email,
    first_name: customer.firstName,
    last_name: customer.lastName,
    name: displayNameOf(customer),
    phone: customer.phone,
    tags: customer.tags,
    orders_count: customer.ordersCount,
    total_spent: customer.spentMinor
  }
}

export type Rendered = { markup: string; isWhole: boolean }

/** Renders a page of an app as the platform does. `isWhole`: it asks for no theme around it. What is wrong with it stands in its place. */
export async function renderLiquid(
  platform: Platform,
  shop: Shop,
  baseUrl: string,
  customerId: string | null,
  source: string
): Promise<Rendered> {
  const layout = /\{%-?\s*layout\s+none\s*-?%\}/
  const isWhole = layout.test(source)
  try {
    const globals = await globalsOf(platform, shop, baseUrl, customerId)
    return { markup: await engine.parseAndRender(source.replace(layout, ''), globals), isWhole }
  } catch (err) {
    if (!LiquidError.is(err)) throw err
    return { markup: `Liquid error: ${err.message.split('\n', 1)[0]}`.replaceAll('<', '&lt;'), isWhole }
  }
}
