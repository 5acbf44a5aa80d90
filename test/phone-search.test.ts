// A customer is found by the telephone number, which only the platform knows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { phoneIn } from '#members'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

const found = async (at: string, text: string) =>
  (await service.admin('GET', `${at}/search?q=${encodeURIComponent(text)}`)).data.map(({ email }: any) => email)

test('a member is found by the number as people write it, in their own store', async () => {
  const [store, other] = [await service.aStore(), await service.aStore()]
  const create = (body: object) => service.admin('POST', `${store.at}/sandbox/customers`, body)
  const ada = { email: 'ada@example.com', phone: '+436641234567' }
  const { id } = await create(ada)
  assert.equal((await create(ada)).id, id)
  await store.member('bob@example.com')
  for (const phone of ['0664 1234567', '+43 664 1234567', '+123', '+0436641234567', '']) {
    await assert.rejects(
      create({ email: 'eve@example.com', phone }),
      /400.*phone must be a telephone number with its country code/,
      phone
    )
  }
  await assert.rejects(
    create({ ...ada, email: 'eve@example.com' }),
    /400.*phone must be a number that no other customer has/
  )
  for (const text of ['+436641234567', ' +43 664 123 45 67', '+43 (0)664 123-4567', '+43.664/1234567']) {
    assert.deepEqual(await found(store.at, text), ['ada@example.com'], text)
  }
  assert.deepEqual(await found(store.at, '+436641234568'), [])
  assert.deepEqual(await found(other.at, '+436641234567'), [])
})

test('other texts are no telephone numbers', () => {
  for (const text of [
    '1001',
    '6641234567',
    '#1001',
    '001234567',
    '+12',
    '+1234567890123456',
    'ada@example.com',
    '+43 ada',
    ''
  ]) {
    assert.equal(phoneIn(text), null, text)
  }
})
