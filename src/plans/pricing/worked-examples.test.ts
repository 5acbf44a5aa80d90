// The tables of docs/pricing.md, row by row.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { decimalOf, minorOf } from '#kit/money'
import { changedPerks, perksFrom } from '../perks.ts'
import { type Cart, type CartLine, type PricingContext, priceCart, type TierPlan } from './index.ts'

type Row = Record<string, string>

const page = readFileSync(new URL('../../../docs/pricing.md', import.meta.url), 'utf8')
const all = tablesOf(page)
// Those before the products are about who applies the prices.
const tables = all.slice(all.findIndex(([row]) => 'product' in row!))
const [products, perks, ...examples] = tables
const PEOPLE: Record<string, PricingContext['member']> = {
  visitor: null,
  'former member': { activeTiers: [], heldMembership: true },
  'VIP member': { activeTiers: ['vip'], heldMembership: true },
  'Elite member': { activeTiers: ['elite'], heldMembership: true },
  'VIP and Elite member': { activeTiers: ['vip', 'elite'], heldMembership: true }
}

/** Every table of a page: its rows by the names of their columns. */
function tablesOf(markdown: string): Row[][] {
  return [...markdown.matchAll(/^\|.*\n\|[ |-]+\n(?:\|.*\n)+/gm)].map(([all]) => {
    const [head, , ...rows] = all.trim().split('\n').map(cellsOf)
    return rows.map((cells) => Object.fromEntries(head!.map((name, i) => [name, cells[i]!])))
  })
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())
}

const listOf = (text: string) => text.split(', ').filter((word) => word !== '')
const minor = (text: string) => minorOf(text, 'EUR')

function cartOf({ cart, who }: Row): Cart {
  return {
    charge: /renewal/.test(who!) ? 'recurring' : 'checkout',
    country: /to (\w\w)$/.exec(who!)?.[1] ?? null,
    shipping: { method: 'Standard', priceMinor: 500 },
    lines: listOf(cart!).map((line, i): CartLine => {
      const [quantity, name] = line.split(' ')
      const product = products!.find(({ product }) => product === name)!
      return {
        id: `${i + 1}`,
        productId: product.id!,
        variantId: null,
        quantity: Number(quantity),
        priceMinor: minor(product.price!),
        compareAtMinor: product['compare-at'] === '' ? null : minor(product['compare-at']!),
        collectionIds: listOf(product.collections!),
        tags: listOf(product.tags!),
        membership: name === 'VIP' ? 'vip' : name === 'Elite' ? 'elite' : null
      }
    })
  }
}

function planOf(tier: string, name: string): TierPlan | null {
  if (name === 'no plan') return null
  const json = perks!.find((row) => row.perks === name)!['as JSON']!
  return { label: tier, perks: changedPerks({}, perksFrom(JSON.parse(json.slice(1, -1)), 'EUR')) }
}

function priced(row: Row) {
  const member = PEOPLE[row.who!.split(',')[0]!]
  assert.ok(row.who!.split(',')[0]! in PEOPLE, row.who!)
  const plans = { vip: planOf('VIP', row['VIP perks']!), elite: planOf('Elite', row['Elite perks']!) }
  const { lines, totalMinor, welcomeOffer, shipping } = priceCart(cartOf(row), { plans, member: member ?? null })
  const codes = lines.flatMap(({ reasons }) => reasons.map(({ code }) => code)).join(', ')
  return {
    off: lines.map(({ discountMinor }) => decimalOf(discountMinor, 'EUR')).join(', '),
    total: decimalOf(totalMinor, 'EUR'),
    shipping: decimalOf(500 - shipping.discountMinor, 'EUR'),
    codes,
    welcome: welcomeOffer.reason.code,
    ships: shipping.reason.code
  }
}

test('the page has a table of prices, of welcome offers and of shipping', () => {
  assert.deepEqual(
    tables.map((rows) => Object.keys(rows[0]!)[0]),
    ['product', 'perks', 'cart', 'cart', 'cart']
  )
  assert.ok(examples.every((rows) => rows.length >= 14))
  const used = new Set(examples.flat().flatMap((row) => [row['VIP perks'], row['Elite perks']]))
  assert.deepEqual(
    perks!.map((row) => row.perks).filter((name) => !used.has(name)),
    []
  )
})

for (const [i, reason] of (['codes', 'welcome', 'ships'] as const).entries()) {
  for (const row of examples[i] ?? []) {
    const plans = `VIP ${row['VIP perks']}, Elite ${row['Elite perks']}`
    test(`example: ${row.cart}; ${plans}; ${row.who}: ${row.why}`, () => {
      const { off, total, shipping, ...codes } = priced(row)
      const { off: expectedOff = off, total: expectedTotal = total, shipping: expectedShipping = shipping } = row
      assert.deepEqual(
        { off, total, shipping, why: codes[reason] },
        { off: expectedOff, total: expectedTotal, shipping: expectedShipping, why: row.why }
      )
    })
  }
}
