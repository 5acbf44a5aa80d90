import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlatform, data, theFailure, theValue } from '../../../test/fake-platform.ts'

test('creates product, price and selling plan, and continues where an earlier try stopped', async () => {
  const made: { product?: unknown; price?: string; group?: unknown } = {}
  const variants = () => ({ nodes: [{ id: 'gid://platform/ProductVariant/2', price: made.price ?? '0.00' }] })
  let breakAt = 'PlanSellingGroupCreate'
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === breakAt) return res.writeHead(503).end()
    const userErrors: unknown[] = []
    const product = { id: 'gid://platform/Product/1', variants: variants() }
    switch (operation) {
      case 'PlanProductByHandle':
        return data(res, {
          productByIdentifier: made.product
            ? { ...product, sellingPlanGroups: { nodes: made.group ? [made.group] : [] } }
            : null
        })
      case 'PlanProductCreate':
        made.product = variables.product
        return data(res, { productCreate: { product, userErrors } })
      case 'PlanPriceUpdate':
        made.price = (variables.variants as [{ price: string }])[0].price
        return data(res, { productVariantsBulkUpdate: { productVariants: variants().nodes, userErrors } })
      default: {
        const { merchantCode } = variables.input as { merchantCode: string }
        const sellingPlans = { nodes: [{ id: 'gid://platform/SellingPlan/4' }] }
        made.group = { id: 'gid://platform/SellingPlanGroup/3', merchantCode, sellingPlans }
        return data(res, { sellingPlanGroupCreate: { sellingPlanGroup: made.group, userErrors } })
      }
    }
  })
  const terms = { name: 'VIP', priceMinor: 2900, currency: 'USD', interval: 'month', intervalCount: 1 } as const
  const whole = { productId: '1', variantId: '2', sellingPlanGroupId: '3', sellingPlanId: '4' }

  assert.equal(theFailure(await connector.products.createPlan(terms)).kind, 'unavailable')
  breakAt = ''
  assert.deepEqual(theValue(await connector.products.createPlan(terms)), whole)
  assert.deepEqual(theValue(await connector.products.createPlan(terms)), whole)
  assert.deepEqual(theValue(await connector.products.createPlan({ ...terms, priceMinor: 3150 })), whole)
  assert.equal(made.price, '31.50')
  const count = (name: string) => requests.filter(({ operation }) => operation === name).length
  assert.deepEqual([count('PlanProductCreate'), count('PlanPriceUpdate'), count('PlanSellingGroupCreate')], [1, 2, 2])
})
