// The files as they are, without their types, in an engine that has JavaScript and nothing else: as in a discount function.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import * as pricing from './index.ts'

/** What a bare engine may lack, or has another of. */
const TAKEN_AWAY = [
  'Intl',
  'Temporal',
  'Date',
  'Promise',
  'Reflect',
  'Proxy',
  'WeakRef',
  'SharedArrayBuffer',
  'console'
]

const folder = new URL('.', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !/\.test(-helper)?\.ts$/.test(file))

/** Each file as a function that is given the others, and returns what it exports. */
const modules = files.map((file) => {
  const source = stripTypeScriptTypes(readFileSync(new URL(file, folder), 'utf8'))
  const names: string[] = []
  const code = source
    .replace(/^export \{([^}]*)\} from '\.\/([^']+)'/gm, (_, list: string, from: string) => {
      names.push(...list.split(',').map((name) => name.trim()))
      return `const {${list}} = load('${from}')`
    })
    .replace(/^import \{([^}]*)\} from '\.\/([^']+)'/gm, "const {$1} = load('$2')")
    .replace(/^export ((?:function|const) (\w+))/gm, (_, declared: string, name: string) => {
      names.push(name)
      return declared
    })
  return `'${file}': (load) => { 'use strict'; ${code}\nreturn { ${names.filter((name) => name !== '').join(', ')} } }`
})

const script = `
  ${TAKEN_AWAY.map((name) => `delete globalThis.${name}`).join('\n')}
  const modules = { ${modules.join(',\n')} }
  const loaded = {}
  const load = (file) => (loaded[file] ??= modules[file](load))
  const { priceCart, explainReason } = load('index.ts')
  const price = priceCart(cart, context)
  JSON.stringify({
    price,
    explained: price.lines.map(({ reasons }) => reasons.map((reason) => explainReason(reason, String))),
    left: Object.getOwnPropertyNames(globalThis).filter((name) => /^(process|Buffer|require|fetch|Intl|Temporal|Date)$/.test(name))
  })`

test('prices a cart where there is no Node, no clock and no Intl', () => {
  const line = { variantId: null, compareAtMinor: null, collectionIds: [], membership: null }
  const cart: pricing.Cart = {
    charge: 'checkout',
    country: 'AT',
    shipping: { method: 'Standard', priceMinor: 500 },
    lines: [
      { ...line, id: '1', productId: '1', quantity: 3, priceMinor: 459, tags: [] },
      { ...line, id: '2', productId: '2', quantity: 1, priceMinor: 800, tags: ['no-vip-discount'] },
      { ...line, id: '3', productId: '3', quantity: 1, priceMinor: 2900, tags: [], membership: 'vip' as const }
    ]
  }
  const reduction = { type: 'percentage' as const, percent: 20 }
  const scope = { appliesTo: 'all' as const }
  const context: pricing.PricingContext = {
    plans: {
      vip: {
        label: 'VIP',
        perks: {
          discount: { reduction, scope, steps: [], priceBase: 'original', stackWithSubscriptions: false },
          welcomeOffer: { reduction, scope },
          freeShipping: { countries: ['AT'], message: null, methodName: null, threshold: null }
        }
      },
      elite: null
    },
    member: null
  }
  const expected = pricing.priceCart(cart, context)
  assert.equal(expected.discountMinor, 3 * 91 + 73)
  assert.deepEqual(JSON.parse(runInContext(script, createContext({ cart, context }))), {
    price: expected,
    explained: expected.lines.map(({ reasons }) => reasons.map((reason) => pricing.explainReason(reason, String))),
    left: []
  })
})
