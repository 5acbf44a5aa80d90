// What was in the recorded store of discounts, functions and segments.
import type { TestShop } from '../../sandbox/start-sandbox.test-helper.ts'
import { type Names, pair } from './compare-answers.ts'
import type { RecordedCall } from './recorded-calls.ts'

type Json = any
type Existing = { shop: TestShop; file: Json; call: RecordedCall; calls: RecordedCall[]; names: Names }

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

/** Discounts that a query answers and no call made, as their answers describe them. */
export async function bringDiscounts({ shop, call, names }: Pick<Existing, 'shop' | 'call' | 'names'>): Promise<void> {
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
