import { currencyDecimals } from '#kit/money'
import { type Queries, sql } from '#kit/postgres'
import type { Shop } from './shop.ts'

type Item = {
  title: string
  type: string
  collections: string[]
  tags?: string[]
  /** What cannot be shipped, such as a course. */
  isService?: boolean
  variants: { title?: string; sku: string; price: number; compareAt?: number }[]
}

const COLLECTIONS = [
  { handle: 'coffee', title: 'Coffee', description: 'Roasted on Tuesdays.' },
  { handle: 'brewing', title: 'Brewing', description: 'Everything between the beans and the cup.' },
  { handle: 'ceramics', title: 'Ceramics', description: 'Cups and bowls from one potter.' },
  { handle: 'sale', title: 'Sale', description: 'Reduced for a while.' }
]

/** Prices in hundredths of the shop's currency. */
const ITEMS: Item[] = [
  {
    title: 'Filter roast',
    type: 'Coffee',
    collections: ['coffee'],
    variants: [
      { title: '250 g', sku: 'FILTER-250', price: 1250 },
      { title: '1 kg', sku: 'FILTER-1000', price: 3900 }
    ]
  },
  {
    title: 'Espresso roast',
    type: 'Coffee',
    collections: ['coffee', 'sale'],
    variants: [
      { title: '250 g', sku: 'ESPRESSO-250', price: 1350, compareAt: 1500 },
      { title: '1 kg', sku: 'ESPRESSO-1000', price: 4200, compareAt: 4800 }
    ]
  },
  {
    title: 'Decaf roast',
    type: 'Coffee',
    collections: ['coffee'],
    variants: [{ sku: 'DECAF-250', price: 1400 }]
  },
  {
    title: 'Micro lot, numbered',
    type: 'Coffee',
    collections: ['coffee'],
    tags: ['NO-VIP-DISCOUNT', 'limited'],
    variants: [{ sku: 'MICROLOT-150', price: 4500 }]
  },
  {
    title: 'Pour-over dripper',
    type: 'Equipment',
    collections: ['brewing', 'sale'],
    variants: [{ sku: 'DRIPPER', price: 2400, compareAt: 3000 }]
  },
  { title: 'Paper filters', type: 'Equipment', collections: ['brewing'], variants: [{ sku: 'PAPER-100', price: 600 }] },
  {
    title: 'Gooseneck kettle',
    type: 'Equipment',
    collections: ['brewing'],
    variants: [{ sku: 'KETTLE', price: 6900 }]
  },
  {
    title: 'Hand grinder',
    type: 'Equipment',
    collections: ['brewing', 'sale'],
    variants: [{ sku: 'GRINDER', price: 8900, compareAt: 10900 }]
  },
  {
    title: 'Stoneware mug',
    type: 'Tableware',
    collections: ['ceramics'],
    variants: [
      { title: 'Blue', sku: 'MUG-BLUE', price: 1800 },
      { title: 'Sand', sku: 'MUG-SAND', price: 1800 },
      { title: 'Black, large', sku: 'MUG-BLACK-L', price: 2200 }
    ]
  },
  { title: 'Tea bowl', type: 'Tableware', collections: ['ceramics'], variants: [{ sku: 'BOWL', price: 2200 }] },
  {
    title: 'Tote bag for members',
    type: 'Extras',
    collections: [],
    tags: ['100%-VIP-DISCOUNT'],
    variants: [{ sku: 'TOTE', price: 1500 }]
  },
  {
    title: 'Barista course',
    type: 'Service',
    collections: [],
    isService: true,
    variants: [{ sku: 'COURSE', price: 12000 }]
  }
]

/**
 * Gives a shop its catalogue, once: products in collections, some reduced, one that no member gets cheaper and one that is free
 * for members. The shop's staff may change it afterwards.
 */
export async function ensureCatalogue(
  q: Queries,
  { storeId, currency, name }: Pick<Shop, 'storeId' | 'currency' | 'name'>,
  now: Temporal.Instant
): Promise<void> {
  // Hundredths are the minor unit of most currencies; of one without decimals they are whole units, which is about as much.
  const factor = 10 ** Math.max(currencyDecimals(currency) - 2, 0)
  const items = ITEMS.map(({ title, type, collections, tags = [], isService = false, variants }) => ({
    title,
    handle: title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, ''),
    type,
    tags,
    collections,
    ships: !isService,
    variants: variants.map(({ title: option = 'Default Title', sku, price, compareAt }) => ({
      title: option,
      sku,
      price: price * factor,
      compareAt: compareAt === undefined ? null : compareAt * factor
    }))
  }))
  await q.run(sql`
    with shop as (
      update sandbox.shops set catalogue_at = ${now} where store_id = ${storeId} and catalogue_at is null returning store_id
    ), item as (
      select i, position from shop cross join jsonb_array_elements(${JSON.stringify(items)}::jsonb) with ordinality as items(i, position)
    ), product as (
      insert into sandbox.products (store_id, title, handle, status, tags, vendor, product_type, created_at, updated_at)
      select ${storeId}, i->>'title', i->>'handle', 'ACTIVE', array(select jsonb_array_elements_text(i->'tags')), ${name},
             i->>'type', ${now}, ${now}
        from item order by position
      returning id, handle
    ), variant as (
      insert into sandbox.variants (store_id, product_id, title, sku, price_minor, compare_at_minor, requires_shipping, taxable,
                                    position, created_at, updated_at)
      select ${storeId}, product.id, v->>'title', v->>'sku', (v->>'price')::bigint, (v->>'compareAt')::bigint,
             (i->>'ships')::boolean, true, place, ${now}, ${now}
        from item join product on product.handle = i->>'handle'
        cross join jsonb_array_elements(i->'variants') with ordinality as variants(v, place)
       order by item.position, place
    )
    insert into sandbox.collections (store_id, title, handle, description, product_ids, updated_at)
    select ${storeId}, c->>'title', c->>'handle', c->>'description',
           array(select product.id from item join product on product.handle = i->>'handle'
                  where i->'collections' ? (c->>'handle') order by item.position),
           ${now}
      from shop cross join jsonb_array_elements(${JSON.stringify(COLLECTIONS)}::jsonb) with ordinality as made(c, place)
     order by place`)
}
