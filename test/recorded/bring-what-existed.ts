// What was in the recorded store before the first call of a file: customers and products that its calls name without creating them.
import type { TestShop } from '../../sandbox/start-sandbox.test-helper.ts'
import { type Names, pair } from './compare-answers.ts'
import type { RecordedCall } from './recorded-calls.ts'

type Json = any
type Existing = { shop: TestShop; file: Json; call: RecordedCall; calls: RecordedCall[]; names: Names }

const GID = /gid:\/\/shopify\/([A-Za-z]+)\/(\d+)/g

/** The functions of the recorded app, and its names, which the answers tell. */
export async function bringFunctions(shop: TestShop, file: Json, names: Names): Promise<void> {
  const functions = file.functionCatalog?.response?.payload?.data?.shopifyFunctions?.nodes
  if (!functions) return
  await shop.sandbox.controls.setFunctions({
    storeId: shop.storeId,
    functions: functions.map((one: Json) => ({ ...one, handle: one.handle ?? one.title }))
  })
  const { app } = (await shop.graphql('{ currentAppInstallation { app { id handle apiKey } } }')).data
    .currentAppInstallation
  const theirs = functions[0].app
  const numberOf = (id: string) => `(${id.split('/').at(-1)})`
  for (const [want, got] of [
    [theirs.id, app.id],
    [theirs.handle, app.handle],
    [theirs.apiKey, app.apiKey],
    [numberOf(theirs.id), numberOf(app.id)]
  ]) {
    pair(names, want, got)
  }
}

/** Discounts whose code was taken before the first call, as the recorder found out. */
export async function bringCodes({ shop, file, calls, names }: Omit<Existing, 'call'>): Promise<void> {
  const made = JSON.stringify(calls.map(({ answer }) => answer))
  for (const { variables, response } of file.upstreamCalls ?? []) {
    const id = response?.body?.data?.codeDiscountNodeByCode?.id
    if (!id || !variables?.code || made.includes(`{"codeDiscountNode":{"id":"${id}"`)) continue
    const input = {
      title: variables.code,
      code: variables.code,
      startsAt: '2020-01-01T00:00:00Z',
      customerGets: { value: { percentage: 0.1 }, items: { all: true } }
    }
    const answer = await shop.graphql(
      `mutation($input: DiscountCodeBasicInput!) { discountCodeBasicCreate(basicCodeDiscount: $input) {
         codeDiscountNode { id } userErrors { message } } }`,
      { input }
    )
    pair(names, id, answer.data.discountCodeBasicCreate.codeDiscountNode.id)
  }
}

/** Creates what this call names and no call before made. Ids of nines, one or nought are meant to be missing. */
export async function bringWhatExisted({ shop, file, call, names }: Existing): Promise<void> {
  for (const [id, type, number] of `${JSON.stringify(call.variables)} ${call.document}`.matchAll(GID)) {
    if (names.ours.has(id) || /^9{3,}\d*$|^[01]$/.test(number!)) continue
    const seen = describedIn(file, id)
    if (type === 'Customer') await bringCustomer(shop, number!, seen, names, id)
    if (type === 'Segment') await bringSegment(shop, seen, names, id)
    if (type === 'Product' && seen) await bringProduct(shop, seen, names, id)
  }
}

async function bringSegment(shop: TestShop, seen: Json, names: Names, id: string): Promise<void> {
  const answer = await shop.graphql(
    'mutation($name: String!, $query: String!) { segmentCreate(name: $name, query: $query) { segment { id } } }',
    { name: seen?.name ?? 'A segment', query: seen?.query ?? 'number_of_orders >= 1' }
  )
  pair(names, id, answer.data.segmentCreate.segment.id)
}

/** Somebody with the tags that are suggested for a segment. */
export async function bringTags(shop: TestShop, { answer }: RecordedCall): Promise<void> {
  const found = answer.data?.segmentValueSuggestions
  if (!found?.edges.length) return
  const tags = found.edges.map(({ node }: Json) => node.queryName)
  if (found.pageInfo.hasNextPage) tags.push('zzz')
  await shop.graphql('mutation($input: CustomerInput!) { customerCreate(input: $input) { userErrors { message } } }', {
    input: { email: 'tagged@example.com', tags }
  })
}

/** Discounts that a query answers and no call made, as their answers describe them. */
export async function bringDiscounts({ shop, call, names }: Existing): Promise<void> {
  if (!/^\s*(#.*\n\s*)*query/.test(call.document)) return
  for (const { id, described } of discountsIn(call.answer.data)) {
    if (names.ours.has(id)) continue
    const { title, startsAt, combinesWith, customerGets, minimumRequirement, codes } = described
    const common = {
      title,
      startsAt,
      combinesWith,
      customerGets: { value: { percentage: customerGets?.value?.percentage ?? 0.1 }, items: { all: true } },
      ...(minimumRequirement && {
        minimumRequirement: {
          quantity: { greaterThanOrEqualToQuantity: minimumRequirement.greaterThanOrEqualToQuantity }
        }
      })
    }
    const code = codes?.nodes?.[0]?.code
    const answer = code
      ? await shop.graphql(
          `mutation($input: DiscountCodeBasicInput!) { made: discountCodeBasicCreate(basicCodeDiscount: $input) {
             node: codeDiscountNode { id } } }`,
          { input: { ...common, code } }
        )
      : await shop.graphql(
          `mutation($input: DiscountAutomaticBasicInput!) { made: discountAutomaticBasicCreate(automaticBasicDiscount: $input) {
             node: automaticDiscountNode { id } } }`,
          { input: common }
        )
    pair(names, id, answer.data.made.node.id)
  }
}

function discountsIn(value: Json): { id: string; described: Json }[] {
  if (typeof value !== 'object' || value === null) return []
  const described = value.discount ?? value.codeDiscount ?? value.automaticDiscount
  if (typeof value.id === 'string' && described?.title && described.startsAt && described.combinesWith) {
    return [{ id: value.id, described }]
  }
  return Object.values(value).flatMap(discountsIn)
}

async function bringCustomer(shop: TestShop, number: string, seen: Json, names: Names, id: string): Promise<void> {
  const email = seen?.email ?? seen?.defaultEmailAddress?.emailAddress ?? `person-${number}@example.com`
  const customer = { id: number, email, firstName: seen?.firstName ?? undefined, lastName: seen?.lastName ?? undefined }
  await shop.sandbox.controls.importFixtures({ storeId: shop.storeId, customers: [customer] })
  pair(names, id, id)
}

async function bringProduct(shop: TestShop, seen: Json, names: Names, id: string): Promise<void> {
  const { title, handle, status, tags, vendor, productType } = seen
  if (!title) return
  const answer = await shop.graphql(
    'mutation($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }',
    { product: { title, handle, status, tags, vendor, productType } }
  )
  const ours = answer.data?.productCreate?.product?.id
  if (ours) pair(names, id, ours)
}

/** The first object with this id in the file that says most about it. */
function describedIn(file: Json, id: string): Json {
  let best: Json
  const visit = (value: Json) => {
    if (typeof value !== 'object' || value === null) return
    if (value.id === id && Object.keys(value).length > Object.keys(best ?? {}).length) best = value
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(file)
  return best && Object.keys(best).length > 1 ? best : undefined
}
