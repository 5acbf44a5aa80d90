// Each role against each operation of the admin API, from the declarations of its routes; and what is noted of changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Permission, ROLES, rolesWith } from '#team'
import { testDatabase } from './database.ts'
import { operationsOf, pathOfNothing } from './openapi.ts'
import { startService } from './service-builder.ts'
import { aTeam } from './team.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const team = aTeam(service)
const operations = operationsOf(await service.admin('GET', '/openapi.json'))

for (const role of ROLES) {
  test(`the role ${role} may call what its permissions say, and nothing else`, async () => {
    const { cookie } = await team.person(`${role}@example.com`, role)
    const me = await team.ask('GET', '/admin/api/me', { cookie })
    assert.deepEqual(me.body.role, role)
    for (const operation of operations) {
      const may = rolesWith(operation.scope as Permission).includes(role)
      assert.equal(me.body.permissions.includes(operation.scope), may)
      const body = operation.method === 'GET' ? undefined : {}
      const { status, body: answer } = await team.ask(operation.method, pathOfNothing(operation), { cookie, body })
      const said = `${operation.id}: ${status} ${JSON.stringify(answer)}`
      if (may) assert.ok(status !== 401 && status !== 403 && status < 500, said)
      else assert.deepEqual([status, answer.error.code], [403, 'forbidden'], said)
    }
  })
}

test('every operation asks for a permission that some role has, and reading is for all', () => {
  for (const { id, method, scope } of operations) {
    assert.ok(rolesWith(scope as Permission).includes('owner'), id)
    if (method === 'GET' && scope !== 'view') {
      assert.ok(
        ['exportMembers', 'getLoyaltyReceiptFile', 'getPrivacyExport', 'listChanges', 'listInvitations'].includes(id),
        `${id} is not for all`
      )
    }
  }
})

test('a change is noted before it is made, with who, what, when and from where, without its values', async () => {
  const store = await service.aStore()
  const { cookie, id } = await team.person('grace@example.com', 'support')
  const { customer } = await store.member('member@example.com')
  const path = `/admin/api${store.at}/store-credits/${customer.id}/add`
  const headers = { 'user-agent': 'a browser' }
  const added = await team.ask('POST', path, { cookie, headers, body: { amount: '5.00', reason: 'Late parcel' } })
  assert.equal(added.status, 200, JSON.stringify(added.body))
  const refused = await team.ask('POST', path, { cookie, headers, body: { amount: 'much', reason: 'Late parcel' } })
  assert.equal(refused.status, 400)
  const forbidden = await team.ask('PATCH', `/admin/api${store.at}/settings`, { cookie, body: {} })
  assert.equal(forbidden.status, 403)

  const listed = async () => (await service.admin('GET', `/changes?store=${store.id}`)).data
  const changes = await until('they are noted', async () => {
    const found = (await listed()).filter((one: any) => one.person?.id === id)
    return found.length > 0 && found.every((one: any) => one.status !== null) && found
  })
  assert.partialDeepStrictEqual(changes, [
    {
      person: { id, name: 'grace' },
      operation: 'addCredit',
      // The platform's number of a customer says who it is.
      path: path.replace(customer.id, '[hidden]'),
      store: store.id,
      fields: ['amount', 'reason'],
      ip_address: '127.0.0.1',
      user_agent: 'a browser',
      request_id: added.headers.get('x-request-id'),
      status: 200
    }
  ])
  assert.ok(!JSON.stringify(changes).includes('Late parcel'))
  const byProgram = (await listed()).find((one: any) => one.operation === 'createPlan')
  assert.deepEqual([byProgram.person, byProgram.status], [null, 201])
})

test('another site cannot use a session to change something, nor can a page that does not say where it is from', async () => {
  const { cookie } = await team.person('alan@example.com', 'owner')
  const from = (headers: Record<string, string>) =>
    team.ask('POST', '/admin/api/doctor', { cookie, body: {}, headers }).then(({ status }) => status)
  assert.equal(await from({ origin: 'https://evil.example' }), 403)
  assert.equal(await from({ 'sec-fetch-site': 'cross-site' }), 403)
  assert.equal(await from({ 'sec-fetch-site': 'same-site' }), 403)
  assert.equal(await from({ 'sec-fetch-site': 'same-origin' }), 200)
  assert.equal(await from({}), 200)
  const { status } = await team.ask('GET', '/admin/api/me', { cookie, headers: { origin: 'https://evil.example' } })
  assert.equal(status, 200)
})

test('the session is in a cookie alone, and signing out ends it', async () => {
  await team.person('ada@example.com', 'read_only')
  const { status, body, cookie } = await team.signIn('ada@example.com')
  assert.equal(status, 200)
  assert.ok(!JSON.stringify(body).includes(cookie.split('=')[1]!.split('.')[0]!))
  assert.equal((await team.ask('GET', '/admin/api/me', { cookie })).status, 200)
  assert.equal((await team.ask('POST', '/admin/auth/sign-out', { cookie, body: {} })).status, 200)
  assert.equal((await team.ask('GET', '/admin/api/me', { cookie })).status, 401)
  assert.equal((await team.ask('POST', '/admin/auth/sign-up/email', { body: {} })).status, 404)
})

test('an address that guesses is shut out, with the right password too', async () => {
  await team.person('barbara@example.com', 'support')
  const statuses: number[] = []
  for (let i = 0; i < 12; i++) statuses.push((await team.signIn(`nobody-${i}@example.com`)).status)
  assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429])
  const shutOut = await team.signIn('barbara@example.com')
  assert.deepEqual([shutOut.status, shutOut.cookie], [429, ''])
  assert.match(shutOut.headers.get('retry-after') ?? '', /^\d+$/)
})
