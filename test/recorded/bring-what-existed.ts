// What was in the recorded store before the first call of a file: what its calls name without creating it. What is known of it, other
// places of the file say.
import type { TestShop } from '../../sandbox/start-sandbox.test-helper.ts'
import { type Names, pair } from './compare-answers.ts'
import type { RecordedCall } from './recorded-calls.ts'

type Json = any
type Existing = { shop: TestShop; file: Json; call: RecordedCall; names: Names }
type Bring = (of: Existing, id: string, seen: Json) => Promise<void>

const GID = /gid:\/\/shopify\/([A-Za-z]+)\/(\d+)/g
const MISSING = /does not exist|not found|non-existent|Invalid id|invalid id/

const BRING: Record<string, Bring> = {
  Customer: bringCustomer,
  Product: bringProduct,
  Collection: bringCollection,
  Publication: bringPublication,
  Segment: bringSegment
}

/** Creates what this call names and no call before made. Ids of nines, one or nought are meant to be missing. */
export async function bringWhatExisted(of: Existing): Promise<void> {
  const { call, names, file } = of
  // Customers whom a list shows were there before.
  const listed =
    call.document.includes('customers(') && !/^\s*mutation/.test(call.document) ? customersIn(call.answer.data) : []
  if (/\bmetafieldDefinitions?\(/.test(call.document)) await bringDefinitions(of)
  const named = `${JSON.stringify(call.variables)} ${call.document} ${listed.join(' ')}`
  for (const [id, type, number] of named.matchAll(GID)) {
    if (names.ours.has(id) || /^9{3,}\d*$|^[01]$/.test(number!)) continue
    const seen = describedIn(file, id)
    const isMissing = MISSING.test(JSON.stringify([call.answer.data, call.answer.errors]))
    if (!seen && type !== 'Customer' && isMissing) continue
    await BRING[type!]?.(of, id, seen)
  }
}

function customersIn(data: Json): string[] {
  const edges = data?.customers?.edges ?? []
  return edges.map((edge: Json) => edge.node?.id ?? '')
}

async function bringSegment({ shop, names }: Existing, id: string, seen: Json): Promise<void> {
  const answer = await shop.graphql(
    'mutation($name: String!, $query: String!) { segmentCreate(name: $name, query: $query) { segment { id } } }',
    { name: seen?.name ?? 'A segment', query: seen?.query ?? 'number_of_orders >= 1' }
  )
  pair(names, id, answer.data.segmentCreate.segment.id)
}

async function bringCustomer({ shop, names }: Existing, id: string, seen: Json): Promise<void> {
  const number = id.split('/').at(-1)!
  const known = seen && ('email' in seen || 'defaultEmailAddress' in seen)
  const email = known ? (seen.email ?? seen.defaultEmailAddress?.emailAddress ?? null) : `person-${number}@example.com`
  const given = { firstName: seen?.firstName, lastName: seen?.lastName, note: seen?.note }
  // Of some only the whole name is known.
  const [first, ...rest] = !given.firstName && !given.lastName ? (seen?.displayName ?? '').split(' ') : []
  const customer = {
    id: number,
    email,
    firstName: given.firstName ?? (first && !first.includes('@') ? first : undefined) ?? undefined,
    lastName: given.lastName ?? (rest.join(' ') || undefined),
    note: given.note ?? undefined,
    phone: seen?.phone ?? seen?.defaultPhoneNumber?.phoneNumber ?? undefined,
    tags: seen?.tags ?? [],
    ordersCount: Number(seen?.numberOfOrders ?? 0),
    spentMinor: Math.round(Number(seen?.amountSpent?.amount ?? 0) * 100)
  }
  await shop.sandbox.controls.importFixtures({ storeId: shop.storeId, customers: [customer] })
  pair(names, id, id)
  const address = seen?.defaultAddress
  if (!address?.country) return
  const { address1, city, country, province, zip } = address
  await shop.mutate(
    `mutation($id: ID!, $address: MailingAddressInput!) {
       customerAddressCreate(customerId: $id, address: $address, setAsDefault: true) { userErrors { message } } }`,
    { id, address: { address1, city, country, province, zip } }
  )
}

async function bringProduct({ shop, names }: Existing, id: string, seen: Json): Promise<void> {
  const { title = `Product ${id.split('/').at(-1)}`, handle, status, tags, vendor, productType } = seen ?? {}
  const product = await shop.mutate(
    'mutation($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }',
    { product: { title, handle, status, tags, vendor, productType } }
  )
  pair(names, id, product.product.id)
}

const DEFINITION = /^gid:\/\/shopify\/MetafieldDefinition\/\d+$/

/** Definitions that an answer shows before any call has made them, with as many values as it counts. */
async function bringDefinitions({ shop, names, call, file }: Existing): Promise<void> {
  const ids = new Set<string>()
  const visit = (value: Json) => {
    if (typeof value !== 'object' || value === null) return
    if (DEFINITION.test(value.id ?? '') && !names.ours.has(value.id)) ids.add(value.id)
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(call.answer.data)
  const found = [...ids].sort().map((id) => describedIn(file, id))
  for (const {
    id,
    name,
    namespace,
    key,
    ownerType,
    type,
    description,
    access,
    metafieldsCount = 0,
    metafields
  } of found) {
    // The platform's own namespace is closed to apps.
    if (!type?.name || namespace === 'shopify') continue
    const { createdDefinition } = await shop.mutate(
      `mutation($definition: MetafieldDefinitionInput!) { metafieldDefinitionCreate(definition: $definition) {
         createdDefinition { id } userErrors { message } } }`,
      {
        definition: {
          ...{ name, namespace, key, ownerType, type: type.name, description },
          ...(access?.storefront && { access: { storefront: access.storefront } })
        }
      }
    )
    pair(names, id, createdDefinition.id)
    const values: Json[] = metafields?.nodes ?? []
    for (let i = 0; i < metafieldsCount; i++) {
      const { product } = await shop.mutate(
        'mutation($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }',
        { product: { title: values[i]?.owner?.title ?? `${name} ${i}` } }
      )
      const value = values[i]?.value ?? values.at(-1)?.value ?? 'value'
      await shop.mutate(
        'mutation($metafields: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $metafields) { userErrors { message } } }',
        { metafields: [{ ownerId: product.id, namespace, key, type: type.name, value }] }
      )
    }
  }
  const pinned = found.filter(({ id, pinnedPosition }) => pinnedPosition != null && names.ours.has(id))
  for (const { id } of pinned.sort((a, b) => a.pinnedPosition - b.pinnedPosition)) {
    await shop.mutate('mutation($id: ID!) { metafieldDefinitionPin(definitionId: $id) { userErrors { message } } }', {
      id: names.ours.get(id)
    })
  }
}

async function bringCollection(of: Existing, id: string, seen: Json): Promise<void> {
  if (!seen?.title) return
  const nodes: Json[] = seen.products?.nodes ?? seen.products?.edges?.map((edge: Json) => edge.node) ?? []
  for (const node of nodes)
    if (!of.names.ours.has(node.id)) await bringProduct(of, node.id, describedIn(of.file, node.id))
  const { title, handle, sortOrder, ruleSet } = seen
  const products = nodes.map((node) => of.names.ours.get(node.id))
  const { collection } = await of.shop.mutate(
    'mutation($input: CollectionInput!) { collectionCreate(input: $input) { collection { id } userErrors { message } } }',
    { input: { title, handle, sortOrder, ...(ruleSet ? { ruleSet } : { products }) } }
  )
  pair(of.names, id, collection.id)
}

/** The publications of the two stores are the same channels, in their order. */
async function bringPublication({ shop, names }: Existing, id: string): Promise<void> {
  const { data } = await shop.graphql('{ publications(first: 10) { nodes { id } } }')
  const free = data.publications.nodes.find((one: Json) => !names.theirs.has(one.id))
  if (free) pair(names, id, free.id)
}

/** All that the file says about an object with this id; what it says first counts. */
function describedIn(file: Json, id: string): Json {
  const seen: Json = {}
  const visit = (value: Json) => {
    if (typeof value !== 'object' || value === null) return
    if (value.id === id) for (const [key, inner] of Object.entries(value)) if (!(key in seen)) seen[key] = inner
    // What was sent is no description of what was there.
    for (const [key, inner] of Object.entries(value)) if (key !== 'variables') visit(inner)
  }
  visit(file)
  return Object.keys(seen).length > 1 ? seen : undefined
}
