// The sandbox answers as a real store did, in the areas of credit: discount codes, gift cards, store credit. What it does not have
// is listed below with a reason; everything else that was recorded must be answered alike.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  Kind,
  parse,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo
} from 'graphql'
import { adminSchema } from '../sandbox/admin/index.ts'
import { startSandbox, type TestShop } from '../sandbox/start-sandbox.test-helper.ts'
import { testDatabase } from './database.ts'
import { type RecordedCall, recordedCalls } from './recorded-calls.ts'

/** Fields that the sandbox does not serve, by type and name, with the reason. */
const NOT_SERVED: Record<string, string> = {
  ...because('bulk changes are for catalogues of thousands of codes, which nothing here makes', [
    'Mutation.discountCodeBulkDelete',
    'Mutation.discountCodeBulkActivate',
    'Mutation.discountCodeBulkDeactivate',
    'Mutation.discountAutomaticBulkDelete',
    'Mutation.discountCodeRedeemCodeBulkDelete',
    'Mutation.discountRedeemCodeBulkAdd'
  ]),
  ...because('automatic discounts are those of apps only: the service has one, a function', [
    'Mutation.discountAutomaticBasicCreate',
    'Mutation.discountAutomaticBasicUpdate',
    'Mutation.discountAutomaticBxgyCreate',
    'Mutation.discountAutomaticFreeShippingCreate',
    'Mutation.discountAutomaticActivate',
    'Mutation.discountAutomaticDeactivate',
    'QueryRoot.automaticDiscountNode',
    'QueryRoot.automaticDiscountNodes'
  ]),
  ...because('codes that a function computes: the service makes codes with fixed amounts', [
    'Mutation.discountCodeAppCreate',
    'Mutation.discountCodeAppUpdate',
    'QueryRoot.shopifyFunctions',
    'AppDiscountType.description',
    'AppDiscountType.appKey'
  ]),
  ...because('discounts are read one by one, by their id or code; the service lists its own', [
    'QueryRoot.discountNodes',
    'QueryRoot.discountNodesCount',
    'QueryRoot.codeDiscountNodes'
  ]),
  ...because('a code of the sandbox is one code, and reduces one-time purchases', [
    'DiscountCodeBasic.codesCount',
    'DiscountCodeBasic.recurringCycleLimit',
    'DiscountAutomaticApp.recurringCycleLimit'
  ]),
  ...because('an entry of store credit does not say what made it; the order transaction says that credit paid', [
    'StoreCreditAccountCreditTransaction.origin',
    'StoreCreditAccountDebitTransaction.origin'
  ]),
  ...because('people and goods are deleted by controls, which also delete what hangs on them', [
    'Mutation.customerDelete',
    'Mutation.productDelete'
  ]),
  ...because('segments choose people by a query, which only staff write', ['Mutation.segmentCreate']),
  ...because('collections are those of the catalogue', ['Mutation.collectionCreate', 'Mutation.collectionAddProducts']),
  ...because('no rule of the service depends on it', [
    'Customer.taxExemptions',
    'Customer.taxExempt',
    'Customer.addressesV2',
    'Customer.dataSaleOptOut',
    'Customer.canDelete',
    'MailingAddress.formattedArea'
  ])
}

function because(reason: string, fields: string[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, reason]))
}

/** Answers that differ, by the file, the call and how the difference begins, with the reason. */
const DIFFERENT: Record<string, string> = {
  ...because('the file begins with an object that it does not create, or that only an unserved mutation makes', [
    'discounts/discount-amount-applies-on-each-item.json/cleanup/0',
    'discounts/discount-delete-unknown-id.json/automaticDelete',
    'discounts/discount-update-edge-cases.json/createBxgy',
    'discounts/discount-validation-branches.json/validation/omnibus: data.duplicate'
  ]),
  ...because('its variables were not recorded', [
    'discounts/discount-customer-selection-internal-conflicts.json/setup/customerCreate'
  ]),
  ...because('an effect of a mutation that is not served', [
    'discounts/discount-bulk-search-effects.json/readAfterCode',
    'discounts/discount-connection-mechanics.json/readFirst: data.nestedCode'
  ]),
  ...because('there are no segments of customers', [
    'discounts/discount-buyer-context-lifecycle.json/codeUpdate: data.discountCodeBasicUpdate.codeDiscountNode.codeDiscount.context'
  ]),
  ...because('buy one, get one and free shipping are only created, and of their errors the first is told', [
    'discounts/discount-bxgy-disallowed-value-shapes.json/validation: data.code',
    'discounts/discount-validation-branches.json/validation/omnibus: data.blankCodeBxgy',
    'discounts/discount-validation-branches.json/validation/omnibus: data.invalidCodeFreeShipping',
    'discounts/discount-combines-with-validation.json/validation: data.freeShippingSelfCombine'
  ]),
  ...because('codes of one line do not combine by tags, which few shops may use', [
    'discounts/discount-combines-with-validation.json/validation: errors',
    'discounts/discount-combines-with-validation.json/validation: data.orderTagStacking',
    'discounts/discount-combines-with-validation.json/validation: data.tagOverlap'
  ]),
  ...because('functions are not deployed to the sandbox, so that an app discount has the title of its own', [
    'discounts/discount-app-bulk-live-parity.json/create: data.discountAutomaticAppCreate.automaticAppDiscount.appDiscountType.title'
  ]),
  ...because('an invalid literal is refused with other words', [
    'discounts/app-discount-input-validator.json/schemaRejectedCases/automaticCreateChannelIds: errors',
    'discounts/discount-validation-branches.json/validation/inlineNullInput: errors'
  ])
}

const FOLDER = new URL('./fixtures/platform/recorded/', import.meta.url)
const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)
const schema: GraphQLSchema = adminSchema()

const files = (await readdir(FOLDER, { recursive: true })).filter((name) => name.endsWith('.json')).sort()
const usedReasons = new Set<string>()
const GID = /^gid:\/\/shopify\/([A-Za-z]+)\/(\d+)/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
/** Chosen by the platform, unless the call gave it. */
const CHOSEN = new Set(['giftCardCode', 'lastCharacters', 'maskedCode', 'startCursor', 'endCursor', 'cursor'])

for (const name of files) {
  // The tests before run while this is read: what they use stands above.
  const file = JSON.parse(await readFile(new URL(name, FOLDER), 'utf8'))
  const calls = recordedCalls(file)
  test(`${name}: the sandbox answers as the recorded store`, async () => {
    const shop = await aShop({ profile: 'shopify', currency: 'CAD', now: file.capturedAt ?? '2026-07-10T00:00:00Z' })
    const known = new Map<string, string>()
    const wrong: string[] = []
    for (const call of calls) {
      const served = withoutUnserved(parse(call.document))
      if (!served) continue
      await bringPeople(shop, call)
      const variables = renamed(call.variables, known) as Record<string, unknown>
      const used = print(served)
      const kept = Object.fromEntries(Object.entries(variables).filter(([key]) => used.includes(`$${key}`)))
      const answer = await shop.graphql(used, kept)
      const differences = compare(call, answer, known)
      for (const difference of differences) {
        const what = `${call.at}: ${difference}`
        const reason = Object.keys(DIFFERENT).find((place) => `${name}${what}`.startsWith(place))
        if (reason) usedReasons.add(reason)
        else wrong.push(what)
      }
    }
    assert.deepEqual(wrong, [])
  })
}

/** The document without what is not served; null if nothing is left. A field that is not listed stays, and fails. */
function withoutUnserved(document: DocumentNode): DocumentNode | null {
  const info = new TypeInfo(schema)
  let left = document
  for (let before = ''; before !== print(left); ) {
    before = print(left)
    left = visit(
      left,
      visitWithTypeInfo(info, {
        Field: {
          enter(node) {
            const parent = info.getParentType()
            if (!parent || node.name.value.startsWith('__')) return undefined
            const path = `${parent.name}.${node.name.value}`
            if (!(path in NOT_SERVED)) return undefined
            usedReasons.add(path)
            return null
          },
          leave(node) {
            const type = getNamedType(info.getType() ?? null)
            const isEmpty = node.selectionSet?.selections.length === 0
            return isEmpty && (!type || isCompositeType(type)) ? null : undefined
          }
        },
        InlineFragment: {
          enter: (node) => {
            const condition = node.typeCondition?.name.value
            return condition && !schema.getType(condition) ? null : undefined
          },
          leave: (node) => (node.selectionSet.selections.length === 0 ? null : undefined)
        }
      })
    )
  }
  const used = (name: string) =>
    left.definitions.some(
      (one) => one.kind === Kind.OPERATION_DEFINITION && print(one.selectionSet).includes(`$${name}`)
    )
  left = visit(left, { VariableDefinition: (node) => (used(node.variable.name.value) ? undefined : null) })
  const isEmpty = left.definitions.every(
    (one) => one.kind !== Kind.OPERATION_DEFINITION || one.selectionSet.selections.length === 0
  )
  return isEmpty ? null : left
}

/** Customers of the recorded store that its file only mentions; those of nines are meant to be missing. */
async function bringPeople(shop: TestShop, { variables }: RecordedCall): Promise<void> {
  for (const [, id] of JSON.stringify(variables).matchAll(/gid:\/\/shopify\/Customer\/(\d+)/g)) {
    if (/^9+$|^0$/.test(id!)) continue
    const { customers } = await shop.sandbox.controls.counts(shop.storeId)
    const person = { id: id!, email: `person-${customers}-${id}@example.com` }
    await shop.sandbox.controls.importFixtures({ storeId: shop.storeId, customers: [person] })
  }
}

/** The value with the ids of the recorded store replaced by those of the sandbox. */
function renamed(value: unknown, known: Map<string, string>): unknown {
  if (typeof value === 'string') return known.get(value) ?? value
  if (Array.isArray(value)) return value.map((one) => renamed(one, known))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renamed(inner, known)]))
}

/** What differs between the recorded answer and that of the sandbox, for what was asked. */
function compare(
  { answer: expected, variables, document }: RecordedCall,
  actual: { data?: unknown; errors?: unknown },
  known: Map<string, string>
): string[] {
  const given = `${JSON.stringify(variables)} ${document}`.toLowerCase()
  const differences: string[] = []
  const same = (want: any, got: any, path: string) => {
    if (typeof want === 'string' && typeof got === 'string') {
      const [id, ours] = [GID.exec(want), GID.exec(got)]
      if (id && ours && id[1] === ours[1]) {
        if (!known.has(want)) known.set(want, got)
        else if (known.get(want) !== got) differences.push(`${path}: another object than before`)
        return
      }
      if (INSTANT.test(want) && INSTANT.test(got) && !given.includes(want.slice(0, -1).toLowerCase())) return
      const key = path.split('.').at(-1)!
      if (CHOSEN.has(key) && !given.includes(want.toLowerCase().slice(-4))) return
    }
    if (Array.isArray(want) && Array.isArray(got) && want.length === got.length) {
      for (const [i, one] of want.entries()) same(one, got[i], `${path}[${i}]`)
      return
    }
    if (want && got && typeof want === 'object' && typeof got === 'object' && !Array.isArray(want)) {
      // Only what is served was asked for.
      for (const key of Object.keys(got)) same(want[key], got[key], `${path}.${key}`)
      return
    }
    if (want !== got) differences.push(`${path}: ${JSON.stringify(want)} was recorded, but ${JSON.stringify(got)}`)
  }
  const shown = (errors: any) =>
    (errors ?? []).map((one: any) => ({ message: one.message, code: one.extensions?.code }))
  const asked = (errors: any) =>
    shown((errors ?? []).filter((one: any) => !one.path || (actual.data && one.path[0] in (actual.data as object))))
  same(asked(expected.errors), asked(actual.errors), 'errors')
  if (expected.data && actual.data) same(expected.data, actual.data, 'data')
  else if (Boolean(expected.data) !== Boolean(actual.data)) differences.push(`data: ${JSON.stringify(actual)}`)
  return differences
}

test('every reason is needed', () => {
  const all = [...Object.keys(NOT_SERVED), ...Object.keys(DIFFERENT)]
  assert.deepEqual(
    all.filter((one) => !usedReasons.has(one)),
    []
  )
})

test('no recorded call caused an internal error', () => assert.deepEqual(bugs, []))
