import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { testVault } from '../../test/store-builder.ts'
import { acceptInvitation, findInvitation, inviteFirstOwner, invitePerson, inviteToNewPassword } from './invitations.ts'
import { hashPassword, isPassword } from './passwords.ts'
import {
  beginPasswordTry,
  changeRole,
  endPasswordTries,
  endSessions,
  findPerson,
  listPeople,
  removePerson
} from './people.ts'
import { ADDRESS_HEADER, createSignIn } from './sign-in.ts'

const { db } = await testDatabase()
const ORIGIN = 'http://127.0.0.1:4000'
const PASSWORD = 'correct horse battery'
const signIn = createSignIn({ db, vault: testVault, publicUrl: () => ORIGIN, warn: () => {} })

const ask = (method: string, path: string, body?: unknown, cookie = '', origin = ORIGIN) =>
  signIn.respond(
    new Request(`${ORIGIN}/admin/auth${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin, cookie, [ADDRESS_HEADER]: '192.0.2.7' },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
  )
const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
const sessionOf = (cookie: string) => signIn.sessionOf(new Headers({ cookie }))

async function aPerson(email: string, role: 'owner' | 'support' = 'owner') {
  const first = await inviteFirstOwner(db)
  const token = first ?? (await db.inInstallation((tx) => invitePerson(tx, { email, role, by: 'a test' }))).token
  await acceptInvitation(db, token, { name: 'Ada', email, password: PASSWORD })
  const people = await db.inInstallation(listPeople)
  return people.find((one) => one.email === email)!
}
const withPassword = (email: string, password = PASSWORD) => ask('POST', '/sign-in/email', { email, password })

test('the first owner comes by a link that works once, also when two open it at once', async () => {
  const token = (await inviteFirstOwner(db))!
  const account = (name: string) => ({ name, email: `${name}@example.com`, password: PASSWORD })
  const ends = await Promise.allSettled([
    acceptInvitation(db, token, account('one')),
    acceptInvitation(db, token, account('two'))
  ])
  assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const people = await db.inInstallation(listPeople)
  assert.deepEqual(
    people.map(({ role }) => role),
    ['owner']
  )
  await assert.rejects(acceptInvitation(db, token, account('three')), /used or withdrawn, or is too old/)
  assert.equal(await inviteFirstOwner(db), null)
})

test('a session is in a cookie that scripts cannot read, tells the role of now, and ends', async () => {
  const { id } = await aPerson('grace@example.com')
  const response = await withPassword('Grace@example.com')
  assert.equal(response.status, 200)
  for (const cookie of response.headers.getSetCookie()) assert.match(cookie, /; HttpOnly; SameSite=Lax/)
  const cookie = cookiesOf(response)
  assert.partialDeepStrictEqual(await sessionOf(cookie), { personId: id, email: 'grace@example.com', role: 'owner' })
  await db.inInstallation((tx) => changeRole(tx, id, 'support'))
  assert.equal((await sessionOf(cookie))?.role, 'support')
  assert.equal(await sessionOf(cookie.replace(/token=./, 'token=x')), null)
  assert.equal(await sessionOf(''), null)

  const other = cookiesOf(await withPassword('grace@example.com'))
  assert.equal((await ask('POST', '/sign-out', {}, cookie)).status, 200)
  assert.equal(await sessionOf(cookie), null)
  assert.equal((await sessionOf(other))?.personId, id)
  await db.inInstallation((tx) => endSessions(tx, id))
  assert.equal(await sessionOf(other), null)
})

test('nobody signs up, and a wrong password says no more than an unknown address', async () => {
  await aPerson('linus@example.com')
  const signUp = await ask('POST', '/sign-up/email', { name: 'Eve', email: 'eve@example.com', password: PASSWORD })
  assert.ok(signUp.status >= 400)
  const [wrong, unknown] = [
    await withPassword('linus@example.com', `${PASSWORD}!`),
    await withPassword('eve@example.com')
  ]
  assert.deepEqual([wrong.status, unknown.status], [401, 401])
  assert.deepEqual(await wrong.json(), await unknown.json())
})

test('a request from another site is refused', async () => {
  await aPerson('alan@example.com')
  const cookie = cookiesOf(await withPassword('alan@example.com'))
  assert.equal((await ask('POST', '/sign-out', {}, cookie, 'https://evil.example')).status, 403)
  assert.ok(await sessionOf(cookie))
})

test('with an authenticator app the password alone begins no session', async () => {
  await aPerson('barbara@example.com')
  const cookie = cookiesOf(await withPassword('barbara@example.com'))
  const enabled = (await (await ask('POST', '/two-factor/enable', { password: PASSWORD }, cookie)).json()) as {
    totpURI: string
    backupCodes: string[]
  }
  const { createOTP } = await import('@better-auth/utils/otp')
  const key = new URL(enabled.totpURI).searchParams.get('secret')!
  const { base32 } = await import('@better-auth/utils/base32')
  const code = () => createOTP(new TextDecoder().decode(base32.decode(key))).totp()
  assert.equal((await ask('POST', '/two-factor/verify-totp', { code: await code() }, cookie)).status, 200)

  const first = await withPassword('barbara@example.com')
  assert.deepEqual(((await first.json()) as any).twoFactorRedirect, true)
  const half = cookiesOf(first)
  assert.equal(await sessionOf(half), null)
  assert.equal((await ask('POST', '/two-factor/verify-totp', { code: '000000' }, half)).status, 401)
  const second = await ask('POST', '/two-factor/verify-totp', { code: await code() }, half)
  assert.equal(second.status, 200)
  assert.equal((await sessionOf(cookiesOf(second)))?.twoFactorEnabled, true)
  // A backup code works once.
  const backup = async () =>
    (
      await ask(
        'POST',
        '/two-factor/verify-backup-code',
        { code: enabled.backupCodes[0] },
        cookiesOf(await withPassword('barbara@example.com'))
      )
    ).status
  assert.equal(await backup(), 200)
  assert.equal(await backup(), 401)
})

test('ten wrong passwords lock an account, also when they come at once; a new password ends that', async () => {
  const { id } = await aPerson('mary@example.com')
  const tries = await Promise.all(
    Array.from({ length: 30 }, () => db.inInstallation((tx) => beginPasswordTry(tx, 'mary@example.com')))
  )
  assert.equal(tries.filter((lockedUntil) => lockedUntil === null).length, 10)
  assert.ok((await db.inInstallation((tx) => findPerson(tx, id))).lockedUntil)
  await db.inInstallation((tx) =>
    tx.run(sql`update team_people set locked_until = locked_until - interval '16 minutes' where id = ${id}`)
  )
  assert.equal(await db.inInstallation((tx) => beginPasswordTry(tx, 'mary@example.com')), null)
  await db.inInstallation((tx) => endPasswordTries(tx, 'mary@example.com'))
  assert.equal(await db.inInstallation((tx) => beginPasswordTry(tx, 'nobody@example.com')), null)

  for (let i = 0; i < 10; i++) await db.inInstallation((tx) => beginPasswordTry(tx, 'mary@example.com'))
  const cookie = cookiesOf(await withPassword('mary@example.com'))
  const { token } = await db.inInstallation((tx) => inviteToNewPassword(tx, id, 'a test'))
  const invitation = await db.inInstallation((tx) => findInvitation(tx, token))
  assert.deepEqual([invitation.email, invitation.personId], ['mary@example.com', id])
  await acceptInvitation(db, token, { name: 'x', email: 'x@example.com', password: 'another long sentence' })
  assert.equal((await db.inInstallation((tx) => findPerson(tx, id))).lockedUntil, null)
  assert.equal(await sessionOf(cookie), null)
  assert.equal((await withPassword('mary@example.com')).status, 401)
  assert.equal((await withPassword('mary@example.com', 'another long sentence')).status, 200)
})

test('an address has one account and one link, and links end', async () => {
  await aPerson('edsger@example.com')
  const invite = (email: string) =>
    db.inInstallation((tx) => invitePerson(tx, { email, role: 'support', by: 'a test' }))
  await assert.rejects(invite('EDSGER@example.com'), /has an account already/)
  const [older, newer] = [await invite('new@example.com'), await invite('new@example.com')]
  const find = (token: string) => db.inInstallation((tx) => findInvitation(tx, token))
  await assert.rejects(find(older.token), /used or withdrawn, or is too old/)
  assert.equal((await find(newer.token)).role, 'support')
  await db.inInstallation((tx) => tx.run(sql`update team_invitations set expires_at = now()`))
  await assert.rejects(find(newer.token), /used or withdrawn, or is too old/)
  assert.equal((await withPassword('new@example.com')).status, 401)
})

test('one owner always stays, also when two leave at once', async () => {
  for (const { id } of await db.inInstallation(listPeople)) {
    await db.inInstallation((tx) => removePerson(tx, id)).catch(() => {})
  }
  const [last] = await db.inInstallation(listPeople)
  const second = await aPerson('second@example.com')
  const ends = await Promise.allSettled([
    db.inInstallation((tx) => removePerson(tx, last!.id)),
    db.inInstallation((tx) => changeRole(tx, second.id, 'read_only'))
  ])
  assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const owners = (await db.inInstallation(listPeople)).filter(({ role }) => role === 'owner')
  assert.equal(owners.length, 1)
})

test('the tables are those that the library expects', async () => {
  const options = { db, vault: testVault, publicUrl: () => ORIGIN, warn: () => {} }
  const response = await createSignIn({ ...options, checksTables: true }).respond(
    new Request(`${ORIGIN}/admin/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ORIGIN },
      body: JSON.stringify({ email: 'nobody@example.com', password: PASSWORD })
    })
  )
  assert.equal(response.status, 401)
})

test('a password is stored as argon2id with a salt of its own, and compared as people type it', async () => {
  const [one, two] = [await hashPassword('Zoë likes long walks'), await hashPassword('Zoë likes long walks')]
  assert.match(one, /^\$argon2id\$m=19456,t=2,p=1\$/)
  assert.notEqual(one, two)
  assert.equal(await isPassword(one, 'Zoe\u0308 likes long walks'), true)
  assert.equal(await isPassword(one, 'Zoe likes long walks'), false)
  await assert.rejects(isPassword('plain', 'plain'), /format/)
})
