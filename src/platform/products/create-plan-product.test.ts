import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlatform, data, theFailure, theValue } from '../../../test/fake-platform.ts'

test('creates product, price and selling plan, and continues where an earlier try stopped', async () => {
  const created: { product?: unknown; price?: string; group?: unknown } = {}
  const variants = () => ({ nodes: [{ id: 'gid://platform/ProductVariant/2', price: created.price ?? '0.00' }] })
  let breakAt = 'PlanSellingGroupCreate'
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === breakAt) return res.writeHead(503).end()
    const userErrors: unknown[] = []
    const product = { id: 'gid://platform/Product/1', variants: variants() }
    switch (operation) {
      case 'PlanProductByHandle':
        return data(res, {
          productByIdentifier: created.product
            ? { ...product, sellingPlanGroups: { nodes: created.group ? [created.group] : [] } }
            : null
        })
      case 'PlanProductCreate':
        created.product = variables.product
        return data(res, { productCreate: { product, userErrors } })
      case 'PlanPriceUpdate':
        created.price = (variables.variants as [{ price: string }])[0].price
        return data(res, { productVariantsBulkUpdate: { productVariants: variants().nodes, userErrors } })
      default: {
        const { merchantCode } = variables.input as { merchantCode: string }
        const sellingPlans = { nodes: [{ id: 'gid://platform/SellingPlan/4' }] }
        created.group = { id: 'gid://platform/SellingPlanGroup/3', merchantCode, sellingPlans }
        return data(res, { sellingPlanGroupCreate: { sellingPlanGroup: created.group, userErrors } })
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
  assert.equal(created.price, '31.50')
  const count = (name: string) => requests.filter(({ operation }) => operation === name).length
  assert.deepEqual([count('PlanProductCreate'), count('PlanPriceUpdate'), count('PlanSellingGroupCreate')], [1, 2, 2])
})
