// What the connector does with metafields, segments and automatic discounts.
import type { FoundDiscount, ShopDiscount } from '#platform'
import { byId, digits, idOf, nodesOf, nothing, type Operation, type Recorded } from './operation.ts'

type Json = any

const definition = (key: string) =>
  ({ owner: 'customer', key, type: 'json', name: 'N', help: 'H', field: null as never }) as const
const taken = { userErrors: [{ message: 'Key is in use', code: 'TAKEN' }] }
const allTaken = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`d${i}`, taken]))
const metafields = (owner: Json) =>
  Object.fromEntries(
    nodesOf(owner.metafields).map(({ key, type, value, compareDigest }: Json) => [
      key,
      { key, type, value, digest: compareDigest }
    ])
  )
export const findCustomerMetafields: Operation = {
  name: 'CustomerMetafields',
  isInNodes: true,
  needs: ['metafields'],
  call: (connector, recorded) => connector.metafields.findMany('customer', [idOf(recorded)], ['k']),
  expected: byId(metafields)
}

/** By the recorded field. */
export const METAFIELD_OPERATIONS: Record<string, Operation[]> = {
  metafieldsSet: [
    {
      name: 'MetafieldsSet',
      call: (connector, { variables }) => {
        const one = { owner: 'customer', ownerId: '1', key: 'k', type: 'json', value: '{}', seenDigest: null } as const
        return connector.metafields.set(Array.from({ length: variables.metafields?.length ?? 1 }, () => one))
      },
      expected: ({ value }) => value.metafields.map(({ compareDigest }: Json) => compareDigest)
    }
  ],
  metafieldsDelete: [
    {
      name: 'MetafieldsDelete',
      call: (connector) => connector.metafields.delete([{ owner: 'customer', ownerId: '1', key: 'k' }]),
      expected: nothing
    }
  ],
  metafieldDefinitionCreate: [
    {
      name: 'MetafieldDefinitionsCreate',
      field: 'd0',
      call: (connector) => connector.metafields.define([definition('k')]),
      expected: () => ({}),
      expectedForError: ({ code, message }) => (code === 'TAKEN' ? {} : { k: message }),
      expectedForDenied: (message) => ({ k: message }),
      others: { MetafieldDefinitions: { metafieldDefinitions: { nodes: [] } } }
    }
  ],
  metafieldDefinitions: [
    {
      name: 'MetafieldDefinitions',
      needs: ['nodes.key', 'edges.node.key'],
      call: (connector, { value }) => connector.metafields.define([definition(nodesOf(value)[0]?.key ?? 'k')]),
      expected({ value }) {
        const [first] = nodesOf(value)
        if (!first) return {}
        const type = nodesOf(value).findLast(({ key }: Json) => key === first.key).type.name
        return type === 'json' ? {} : { [first.key]: `it is defined with the type ${type}, and json is needed` }
      },
      others: { MetafieldDefinitionsCreate: allTaken }
    }
  ],
  shop: [
    {
      name: 'ShopMetafields',
      needs: ['metafields'],
      call: (connector) => connector.metafields.findOfShop(['k']),
      expected: ({ value }) => ({ shopId: digits(value.id), metafields: metafields(value) })
    }
  ]
}

const SEGMENT = { id: '1', name: 'N', query: 'Q' }
const segment = ({ id, name, query }: Json) => ({ id: digits(id), name, query })
const nameOf = ({ value }: Recorded) => nodesOf(value)[0]?.name ?? 'N'

/** By the recorded field. */
export const SEGMENT_OPERATIONS: Record<string, Operation[]> = {
  segment: [
    {
      name: 'SegmentsByIds',
      isInNodes: true,
      call: (connector, recorded) => connector.segments.findMany([idOf(recorded)]),
      expected: byId(segment)
    }
  ],
  segments: [
    {
      name: 'SegmentsByName',
      needs: ['nodes.name', 'edges.node.name'],
      call: (connector, recorded) => connector.segments.findByName(nameOf(recorded)),
      expected: (recorded) =>
        nodesOf(recorded.value)
          .filter(({ name }: Json) => name === nameOf(recorded))
          .map(segment)
    }
  ],
  segmentCreate: [
    {
      name: 'SegmentCreate',
      call: (connector) => connector.segments.create(SEGMENT),
      expected: ({ value }) => digits(value.segment.id)
    }
  ],
  segmentUpdate: [{ name: 'SegmentUpdate', call: (connector) => connector.segments.update(SEGMENT), expected: nothing }]
}

const COMMON = {
  title: 'T',
  segmentIds: [],
  combinesWith: { order: false, product: false, shipping: false },
  onSubscriptions: true
}
type Kind = 'App' | 'Basic' | 'FreeShipping'
const DISCOUNTS: Record<Kind, ShopDiscount> = {
  App: { ...COMMON, kind: 'app', functionId: 'f', classes: ['PRODUCT'] },
  Basic: { ...COMMON, kind: 'basic', value: { percent: 10 }, items: 'all' },
  FreeShipping: { ...COMMON, kind: 'free_shipping', countries: [], least: null }
}
const kindOf = ({ automaticDiscount }: Json): ShopDiscount['kind'] | undefined =>
  DISCOUNTS[automaticDiscount.__typename.replace('DiscountAutomatic', '') as Kind]?.kind

/** What is certain of a discount by its recorded answer; one that ends, or is for single customers, is none like ours. */
function discount(node: Json): Json {
  const { title, status, endsAt, context } = node.automaticDiscount
  const kind = kindOf(node)
  if (!kind) return { id: digits(node.id), kind: 'other', discount: null }
  return {
    id: digits(node.id),
    kind,
    title,
    isActive: status === 'ACTIVE',
    has: { segmentIds: (context.segments ?? []).map((one: Json) => digits(one.id)) },
    ...((endsAt || context.__typename === 'DiscountCustomers') && { discount: null })
  }
}
const titleOf = ({ value }: Recorded) => nodesOf(value).find(kindOf)?.automaticDiscount.title ?? 'T'

const FOUND: FoundDiscount = {
  id: '1',
  title: 'T',
  kind: 'app',
  isActive: true,
  discount: null,
  has: { segmentIds: [], productIds: [], collectionIds: [] }
}
const created = (kind: Kind): Operation[] => [
  {
    name: `Automatic${kind}Create`,
    call: (connector, { currency }) =>
      connector.automaticDiscounts.create(DISCOUNTS[kind], {
        startsAt: Temporal.Instant.from('2026-07-10T00:00:00Z'),
        currency
      }),
    expected: ({ value }) => digits(value.automaticAppDiscount?.discountId ?? value.automaticDiscountNode.id)
  }
]
const updated = (kind: Kind): Operation[] => [
  {
    name: `Automatic${kind}Update`,
    call: (connector, { currency }) => connector.automaticDiscounts.update(FOUND, DISCOUNTS[kind], currency),
    expected: nothing
  }
]

/** By the recorded field. */
export const AUTOMATIC_DISCOUNT_OPERATIONS: Record<string, Operation[]> = {
  automaticDiscountNode: [
    {
      name: 'AutomaticDiscountsByIds',
      isInNodes: true,
      needs: ['automaticDiscount'],
      call: (connector, recorded) => connector.automaticDiscounts.findMany([idOf(recorded)], recorded.currency),
      expected: byId(discount),
      isPart: true
    }
  ],
  automaticDiscountNodes: [
    {
      name: 'AutomaticDiscountsByTitle',
      needs: ['nodes.automaticDiscount', 'edges.node.automaticDiscount'],
      call: (connector, recorded) => connector.automaticDiscounts.findByTitle(titleOf(recorded), recorded.currency),
      expected: (recorded) =>
        nodesOf(recorded.value)
          .filter((node: Json) => kindOf(node) && node.automaticDiscount.title === titleOf(recorded))
          .map(discount),
      isPart: true
    }
  ],
  discountAutomaticAppCreate: created('App'),
  discountAutomaticBasicCreate: created('Basic'),
  discountAutomaticFreeShippingCreate: created('FreeShipping'),
  discountAutomaticAppUpdate: updated('App'),
  discountAutomaticBasicUpdate: updated('Basic'),
  discountAutomaticFreeShippingUpdate: updated('FreeShipping'),
  discountAutomaticActivate: [
    { name: 'AutomaticActivate', call: (connector) => connector.automaticDiscounts.activate('1'), expected: nothing }
  ],
  discountAutomaticDeactivate: [
    {
      name: 'AutomaticDeactivate',
      call: (connector) => connector.automaticDiscounts.deactivate('1'),
      expected: nothing
    }
  ],
  discountAutomaticDelete: [
    { name: 'AutomaticDelete', call: (connector) => connector.automaticDiscounts.delete('1'), expected: nothing }
  ],
  shopifyFunctions: [
    {
      name: 'FunctionsOfApp',
      needs: ['nodes.apiType', 'edges.node.apiType'],
      call: (connector) => connector.automaticDiscounts.listFunctions(),
      expected: ({ value }) => nodesOf(value).map(({ id, handle, apiType }: Json) => ({ id, handle, apiType }))
    }
  ]
}
