import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { startService } from '../../../test/service-builder.ts'
import { aTeam } from '../../../test/team.ts'

const { url } = await testDatabase()
const service = await startService(url)
const team = aTeam(service)

async function aHistory() {
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  await store.advance({ by: 'PT1M' })
  const [{ id }] = (await service.admin('GET', `${store.at}/subscriptions`)).data
  const at = `${store.at}/subscriptions/${id}`
  const who = async () => {
    const { data } = await service.admin('GET', `${at}/activity?limit=1`)
    const timeline = await service.admin('GET', `${store.at}/customers/${customer.id}/timeline?limit=50`)
    const entry = timeline.data.find(({ activity }: any) => activity?.kind === data[0].kind)
    const { actor, actor_id, actor_name } = entry
    assert.deepEqual({ actor, actor_id, actor_name }, pick(data[0]), 'the timeline names the same')
    assert.deepEqual(entry.activity, { kind: data[0].kind, details: data[0].details })
    return pick(data[0])
  }
  return { store, at, id, who }
}

const pick = ({ actor, actor_id, actor_name }: any) => ({ actor, actor_id, actor_name })

test('a history names the person who did something, also one who has left, and one without a name by the address', async () => {
  const { at, who } = await aHistory()
  const sue = await team.person('sue@example.com', 'support')
  const paused = await team.ask('POST', `/admin/api${at}/pause`, { body: {}, cookie: sue.cookie })
  assert.equal(paused.status, 200)
  assert.deepEqual(await who(), { actor: 'operator', actor_id: sue.id, actor_name: 'sue' })
  const noted = await team.ask('POST', `/admin/api${at}/notes`, { body: { note: 'Called' }, cookie: sue.cookie })
  assert.equal(noted.body.actor_name, 'sue')

  const rename = (name: string) =>
    service.db.inInstallation((tx) => tx.run(sql`update team_people set name = ${name} where id = ${sue.id}`))
  await rename('Sue Storm')
  assert.equal((await who()).actor_name, 'Sue Storm')
  await rename('')
  assert.equal((await who()).actor_name, 'sue@example.com')

  await service.admin('DELETE', `/team/people/${sue.id}`)
  assert.deepEqual(await who(), { actor: 'operator', actor_id: sue.id, actor_name: 'sue' })
  await service.db.inInstallation((tx) => tx.run(sql`delete from team_changes where person_id = ${sue.id}`))
  assert.deepEqual(await who(), { actor: 'operator', actor_id: sue.id, actor_name: null })
})

test('a history names the API key that did something, also one that was revoked, and nobody for the operator token', async () => {
  const { store, at, id, who } = await aHistory()
  const { id: key, key: secret } = await service.admin('POST', `${store.at}/keys`, { name: 'Warehouse' })
  await service.admin('POST', `${store.at}/keys`, { name: 'Another' })
  await service.post(`/subscriptions/${id}/pause`, secret, {})
  assert.deepEqual(await who(), { actor: 'api', actor_id: key, actor_name: 'Warehouse' })
  await service.admin('DELETE', `${store.at}/keys/${key}`)
  assert.equal((await who()).actor_name, 'Warehouse')
  await service.admin('POST', `${at}/resume`, {})
  assert.deepEqual(await who(), { actor: 'operator', actor_id: null, actor_name: null })
})

test('who gives running subscriptions another price is named by their histories', async () => {
  const { store, who } = await aHistory()
  const sue = await team.person('sue-of-prices@example.com', 'owner')
  const [plan] = (await service.admin('GET', `${store.at}/plans`)).data
  const versions = `/admin/api${store.at}/plans/${plan.id}/versions`
  const version = { price: '31.00', apply_to: 'all' }
  const { body } = await team.ask('GET', `${versions}/preview?${new URLSearchParams(version)}`, { cookie: sue.cookie })
  const added = await team.ask('POST', versions, { body: { ...version, preview: body.preview }, cookie: sue.cookie })
  assert.equal(added.status, 201)
  await store.advance({ by: 'PT1M' })
  assert.deepEqual(await who(), { actor: 'operator', actor_id: sue.id, actor_name: 'sue-of-prices' })
})
