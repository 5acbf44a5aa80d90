// Definitions of metafields are changes of the platform like any other, though one document makes several of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlatform, data, theFailure, theValue } from '../../../test/fake-platform.ts'
import { flag } from '../../kit/json-fields/index.ts'
import { DEFINITIONS_PER_CALL } from './documents.ts'
import { defineMetafield } from './metafield.ts'

const METAFIELDS = ['one', 'two'].map((key) =>
  defineMetafield({ owner: 'customer', key, type: 'json', name: key, help: key, field: flag() })
)

/** A shop without definitions, which refuses the second one. */
const aShop = () =>
  aPlatform((res, { operation }) =>
    data(
      res,
      operation === 'MetafieldDefinitions'
        ? { metafieldDefinitions: { nodes: [] } }
        : Object.fromEntries(
            Array.from({ length: DEFINITIONS_PER_CALL }, (_, i) => [
              `d${i}`,
              { userErrors: i === 1 ? [{ message: 'It is reserved.', code: 'RESERVED' }] : [] }
            ])
          )
    )
  )

test('one definition that is refused keeps no other from being made, and is named', async () => {
  const { connector, requests } = await aShop()
  assert.deepEqual([...theValue(await connector.metafields.define(METAFIELDS))], [['two', 'It is reserved.']])
  assert.deepEqual(
    requests.map(({ operation }) => operation),
    ['MetafieldDefinitions', 'MetafieldDefinitionsCreate']
  )
})

test('while nothing may be changed on the platform, definitions are read and none is made', async () => {
  const { connect, requests } = await aShop()
  const { code } = theFailure(await connect({ mayChange: async () => false }).metafields.define(METAFIELDS))
  assert.equal(code, 'store_on_hold')
  assert.deepEqual(
    requests.map(({ operation }) => operation),
    ['MetafieldDefinitions']
  )
})
