// One-time links that were not used yet: who sees them, and how one is withdrawn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { inviteFirstOwner } from '#team'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { aTeam } from './team.ts'

const { url, db } = await testDatabase()
const service = await startService(url)
const team = aTeam(service)
const listed = async (): Promise<any[]> => (await service.admin('GET', '/team/invitations')).data
const tokenOf = ({ url }: { url: string }) => new URL(url).hash.slice(1)
const show = (token: string) => team.ask('POST', '/admin/auth/invitation/show', { body: { token } })

test('links are listed until they are used, withdrawn or over; the first owner’s is none', async () => {
  await inviteFirstOwner(db)
  assert.deepEqual(await listed(), [])
  const link = await service.admin('POST', '/team/invitations', { email: 'Ada@example.com', role: 'developer' })
  const [open, ...others] = await listed()
  assert.deepEqual(others, [])
  assert.deepEqual(
    [open.email, open.role, open.for_new_password, open.invited_by, open.expires_at],
    ['ada@example.com', 'developer', false, 'operator token', link.expires_at]
  )
  assert.equal(tokenOf(link).includes(open.id), false)

  const account = {
    token: tokenOf(link),
    name: 'Ada',
    email: 'ada@example.com',
    password: 'a sentence nobody else says'
  }
  assert.equal((await team.ask('POST', '/admin/auth/invitation', { body: account })).status, 200)
  assert.deepEqual(await listed(), [])

  const { data } = await service.admin('GET', '/team/people')
  await service.admin('POST', `/team/people/${data[0].id}/password-link`, {})
  assert.deepEqual(
    (await listed()).map(({ email, for_new_password }) => [email, for_new_password]),
    [['ada@example.com', true]]
  )
  await db.inInstallation((tx) => tx.run(sql`update team_invitations set expires_at = now()`))
  assert.deepEqual(await listed(), [])
})

test('a link that is withdrawn works no more, and others do', async () => {
  const [bob, carl] = [
    await service.admin('POST', '/team/invitations', { email: 'bob@example.com', role: 'support' }),
    await service.admin('POST', '/team/invitations', { email: 'carl@example.com', role: 'support' })
  ]
  const { id } = (await listed()).find(({ email }) => email === 'bob@example.com')
  assert.equal((await service.admin('DELETE', `/team/invitations/${id}`)).email, 'bob@example.com')
  assert.equal((await show(tokenOf(bob))).status, 404)
  assert.equal((await show(tokenOf(carl))).body.email, 'carl@example.com')
  await assert.rejects(service.admin('DELETE', `/team/invitations/${id}`), /404 .*no link .* that still works/)
})

test('who may not invite sees no links and withdraws none', async () => {
  const [{ id }] = await listed()
  const { cookie } = await team.person('dora@example.com', 'developer')
  for (const [method, path] of [
    ['GET', '/team/invitations'],
    ['DELETE', `/team/invitations/${id}`]
  ] as const) {
    assert.equal((await team.ask(method, `/admin/api${path}`, { cookie })).status, 403)
  }
  assert.ok((await listed()).some((one) => one.id === id))
})
