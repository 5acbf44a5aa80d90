// The log of changes: what people do about their own account, what it keeps, and what is removed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { pruneTeam } from '#team'
import { aSecondFactor } from './admin-browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { aTeam, PASSWORD } from './team.ts'

const { url, db } = await testDatabase()
const service = await startService(url)
const team = aTeam(service)
const changes = async (): Promise<any[]> => (await service.admin('GET', '/changes')).data

/** The operations that were noted since the one with this id, oldest first, with their status and person. */
async function since(id: number) {
  const found = (await changes()).filter((change) => change.id > id).reverse()
  return found.map(({ operation, status, person }) => [operation, status, person?.id ?? null])
}
const newest = async () => (await changes())[0]?.id ?? 0

test('signing in, wrong passwords and changes of the account are noted, with who it was and from where', async () => {
  const before = await newest()
  const ada = await team.person('ada@example.com', 'support')
  await team.signIn('ada@example.com', 'a wrong password')
  const { cookie } = await team.signIn('Ada@Example.com')
  const post = (path: string, body: object) => team.ask('POST', `/admin/auth${path}`, { cookie, body })
  assert.equal((await post('/update-user', { name: 'Countess' })).status, 200)
  const newPassword = 'another sentence nobody says'
  assert.equal((await post('/change-password', { currentPassword: PASSWORD, newPassword })).status, 200)
  assert.equal((await post('/sign-out', {})).status, 200)
  assert.deepEqual(await since(before), [
    ['invitePerson', 201, null],
    ['acceptInvitation', 200, ada.id],
    ['signIn', 401, ada.id],
    ['signIn', 200, ada.id],
    ['changeName', 200, ada.id],
    ['changePassword', 200, ada.id],
    ['signOut', 200, ada.id]
  ])
  const [last] = await changes()
  assert.equal(last.ip_address, '127.0.0.1')
  assert.equal(last.path, '/admin/auth/sign-out')
  assert.deepEqual([last.store, last.fields], [null, []])
})

test('wrong codes are noted, a password that is asked for a code is no sign-in, and a new password by a link is noted', async () => {
  const eve = await team.person('eve@example.com', 'support')
  const code = await aSecondFactor(service, eve)
  const before = await newest()
  const { cookie } = await team.signIn('eve@example.com')
  const enter = async (given: string) =>
    (await team.ask('POST', '/admin/auth/two-factor/verify-totp', { cookie, body: { code: given } })).status
  assert.equal(await enter('000000'), 401)
  assert.equal(await enter(await code()), 200)
  const { url } = await service.admin('POST', `/team/people/${eve.id}/password-link`, {})
  const account = { token: new URL(url).hash.slice(1), name: 'Eve', email: 'eve@example.com' }
  const accepted = { ...account, password: 'another sentence nobody says' }
  assert.equal((await team.ask('POST', '/admin/auth/invitation', { body: accepted })).status, 200)
  assert.deepEqual(await since(before), [
    ['enterPassword', 200, eve.id],
    ['enterCode', 401, eve.id],
    ['enterCode', 200, eve.id],
    ['makePasswordLink', 201, null],
    ['acceptInvitation', 200, eve.id]
  ])
})

test('whoever is signed in and tries the password of somebody else is not noted in the place of them', async () => {
  const fay = await team.person('fay@example.com', 'support')
  const gil = await team.person('gil@example.com', 'support')
  const before = await newest()
  const body = { email: 'fay@example.com', password: 'a wrong password' }
  await team.ask('POST', '/admin/auth/sign-in/email', { cookie: gil.cookie, body })
  assert.deepEqual(await since(before), [['signIn', 401, fay.id]])
})

test('what nobody with an account is known of is not noted, nor what a link is for', async () => {
  const before = await newest()
  await team.signIn('nobody@example.com')
  await team.ask('POST', '/admin/auth/sign-out', { body: {} })
  await team.ask('POST', '/admin/auth/update-user', { body: { name: 'Eve' } })
  await team.ask('POST', '/admin/auth/invitation/show', { body: { token: 'none' } })
  assert.deepEqual(await since(before), [])
})

test('what is refused for its number is not noted', async () => {
  const bob = await team.person('bob@example.com', 'support')
  const before = await newest()
  const tries = []
  for (let i = 0; i < 13; i++) tries.push((await team.signIn('bob@example.com', `wrong ${i}`)).status)
  const noted = await since(before)
  const wrong = tries.filter((status) => status === 401).length
  assert.ok(wrong < 13, `${tries}`)
  assert.deepEqual(noted, new Array(wrong).fill(['signIn', 401, bob.id]))
})

test('changes are kept for 400 days, sessions and links until they end', async () => {
  await service.admin('POST', '/team/invitations', { email: 'carl@example.com', role: 'support' })
  const kept = (await changes()).map(({ id }) => id)
  const counted = () =>
    db.inInstallation((tx) =>
      tx.one(
        row({ sessions: int, invitations: int }),
        sql`select (select count(*) from team_sessions) as sessions, (select count(*) from team_invitations) as invitations`
      )
    )
  const before = await counted()
  assert.ok(before.sessions > 1 && before.invitations === 1)
  await db.inInstallation(async (tx) => {
    await tx.run(sql`update team_changes set changed_at = now() - interval '401 days' where id = ${kept[1]}`)
    await tx.run(sql`update team_changes set changed_at = now() - interval '399 days' where id = ${kept[2]}`)
    await tx.run(sql`update team_sessions set expires_at = now() where id = (select min(id) from team_sessions)`)
  })
  await pruneTeam(db)
  assert.deepEqual(
    (await changes()).map(({ id }) => id),
    kept.filter((id) => id !== kept[1])
  )
  assert.deepEqual(await counted(), { sessions: before.sessions - 1, invitations: 1 })
  await db.inInstallation((tx) => tx.run(sql`update team_invitations set expires_at = now()`))
  await pruneTeam(db)
  assert.equal((await counted()).invitations, 0)
})
