// People and their own accounts in the admin interface, in a real browser with the real service.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { base32 } from '@better-auth/utils/base32'
import { createOTP } from '@better-auth/utils/otp'
import { looked, openAdmin, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { accessible, picture } from './storefront-browser.ts'

const { url } = await testDatabase()
// Browsers make passkeys for names, not for bare addresses.
const port = await freePort()
const service = await startService(url, { port, publicUrl: `http://localhost:${port}` })
const here = { ...service, url: service.urls.public }
const skip = noBrowser

const { at } = await service.aStore({ name: 'Bean & Leaf' })
const path = `${at}/account`

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    server.close(() => resolve(port))
  })
  return promise
}

test('an authenticator app is set up, asked for when signing in, and turned off', { skip }, async () => {
  const { page, complaints, close, person } = await openAdmin(here, { path, role: 'support' })
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Set up' }).click()
  await dialog.getByLabel('Password', { exact: true }).fill('not my password')
  await dialog.getByRole('button', { name: 'Set up' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Password', { exact: true }).fill(person.password)
  await dialog.getByRole('button', { name: 'Set up' }).click()
  await page.getByRole('img', { name: 'The secret as a picture for the app' }).waitFor()
  await picture(page, 'admin-second-factor-set-up')
  await accessible(page, 'second factor')
  const secret = await dialog.getByRole('textbox', { name: 'Secret' }).inputValue()
  const code = () => createOTP(new TextDecoder().decode(base32.decode(secret))).totp()
  await dialog.getByLabel('Code that the app shows').fill('000000')
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Code that the app shows').fill(await code())
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  const kept = page.getByRole('dialog', { name: 'Backup codes' })
  const backupCodes = (await kept.getByRole('textbox').inputValue()).split('\n')
  assert.equal(backupCodes.length, 10)
  await kept.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByText('you are asked for a code of your app').waitFor()

  await page.getByRole('button', { name: /Account/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Use a backup code instead' }).click()
  await page.getByLabel('Backup code').fill(backupCodes[0]!)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

  await page.goto(`${here.url}/admin${path}`)
  await page.getByRole('button', { name: 'Turn off' }).click()
  await dialog.getByLabel('Password', { exact: true }).fill(person.password)
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('button', { name: 'Set up' }).waitFor()
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('a passkey of the device signs in without a password, until it is removed', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(here, { path })
  const devices = await page.context().newCDPSession(page)
  await devices.send('WebAuthn.enable')
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
    }
  })
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('cell', { name: 'Laptop' }).waitFor()

  await page.getByRole('button', { name: /Account/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

  await page.goto(`${here.url}/admin${path}`)
  await page.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('You have no passkeys.').waitFor()
  await page.getByRole('button', { name: /Account/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('The passkey was not accepted').waitFor()
  await devices.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('a new password ends the other sessions and is the one that counts', { skip }, async () => {
  const { page, close, person } = await openAdmin(here, { path })
  const me = () => fetch(`${here.url}/admin/api/me`, { headers: { cookie: person.cookie } }).then((r) => r.status)
  assert.equal(await me(), 200)
  await page.getByLabel('Present password').fill(person.password)
  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByRole('region', { name: 'Password' }).getByRole('alert').waitFor()
  await page.getByLabel('New password').fill('another sentence of mine')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('The password is changed').waitFor()
  await page.getByLabel('Name', { exact: true }).first().fill('Grace H.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Account Grace H.' }).waitFor()
  assert.equal(await me(), 401)
  await close()
})

test('the account is accessible in light and dark, and nothing is wider than the window', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(here, { path })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await looked(page, `admin-account-page`)
  assert.deepEqual(complaints, [])
  await close()
})
