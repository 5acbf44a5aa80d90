import type { CollectionRule, RuleSet } from '../../state/collections.ts'
import { listDefinitions } from '../../state/metafield-definitions.ts'
import { listProducts, type Product, type Variant } from '../../state/products.ts'
import type { Api } from '../../wire/api.ts'
import { parseGid } from '../../wire/gid.ts'
import { wireDecimal } from '../../wire/money.ts'

/** The products that follow the rules of a collection, oldest first. */
export async function productsByRules(api: Api, { appliedDisjunctively, rules }: RuleSet): Promise<Product[]> {
  const found: Product[] = []
  for (const product of await listProducts(api.db.direct, api.shop.storeId)) {
    const variants = (await api.load.variantsOf.get(product.id)) ?? []
    const follows = await Promise.all(rules.map((rule) => followsRule(api, product, variants, rule)))
    if (appliedDisjunctively ? follows.some(Boolean) : follows.every(Boolean)) found.push(product)
  }
  return found
}

async function followsRule(api: Api, product: Product, variants: Variant[], rule: CollectionRule): Promise<boolean> {
  const values = await valuesOf(api, product, variants, rule)
  // Not to have a value means that none of them is it.
  if (rule.relation === 'NOT_EQUALS') return !values.some((value) => same(value, rule.condition))
  if (rule.relation === 'NOT_CONTAINS') return !values.some((value) => lower(value).includes(lower(rule.condition)))
  return values.some((value) => relates(value, rule))
}

const lower = (text: string) => text.toLowerCase()
const same = (a: string, b: string) => lower(a) === lower(b) || (a !== '' && b !== '' && Number(a) === Number(b))

function relates(value: string, { relation, condition }: CollectionRule): boolean {
  switch (relation) {
    case 'EQUALS':
      return same(value, condition)
    case 'CONTAINS':
      return lower(value).includes(lower(condition))
    case 'STARTS_WITH':
      return lower(value).startsWith(lower(condition))
    case 'ENDS_WITH':
      return lower(value).endsWith(lower(condition))
    case 'LESS_THAN':
      return Number(value) < Number(condition)
    case 'GREATER_THAN':
      return Number(value) > Number(condition)
    case 'IS_SET':
      return value !== ''
    default:
      return value === ''
  }
}

async function valuesOf(api: Api, product: Product, variants: Variant[], rule: CollectionRule): Promise<string[]> {
  const price = (minor: number | null) => (minor === null ? '' : wireDecimal(minor, api.shop.currency))
  switch (rule.column) {
    case 'TITLE':
      return [product.title]
    case 'TYPE':
      return [product.productType ?? '']
    case 'VENDOR':
      return [product.vendor ?? api.shop.name]
    case 'TAG':
      return product.tags
    case 'VARIANT_PRICE':
      return variants.map(({ priceMinor }) => price(priceMinor))
    case 'VARIANT_COMPARE_AT_PRICE':
    case 'IS_PRICE_REDUCED':
      return variants.map(({ compareAtMinor }) => price(compareAtMinor))
    case 'VARIANT_TITLE':
      return variants.map(({ title }) => title)
    case 'PRODUCT_METAFIELD_DEFINITION':
      return metafieldValues(api, product, rule)
    default:
      // Stock, weight and categories: the sandbox's products have none.
      return ['']
  }
}

/** The definition whose values a rule compares. */
export async function definitionOfRule(api: Api, { conditionObjectId }: CollectionRule) {
  const parsed = conditionObjectId ? parseGid(api.shop, conditionObjectId) : null
  if (parsed?.type !== 'MetafieldDefinition') return null
  const all = await listDefinitions(api.db.direct, api.shop.storeId)
  return all.find(({ id }) => id === parsed.id) ?? null
}

async function metafieldValues(api: Api, product: Product, rule: CollectionRule): Promise<string[]> {
  const definition = await definitionOfRule(api, rule)
  const all = (await api.load.metafieldsOf.get(`Product/${product.id}`)) ?? []
  const found = all.find(({ namespace, key }) => namespace === definition?.namespace && key === definition.key)
  return [found?.value ?? '']
}
