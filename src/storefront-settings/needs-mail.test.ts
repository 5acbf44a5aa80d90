import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { otp } from './keys/svc-otp.ts'
import { storefrontSetting, updateStorefrontSetting } from './storefront-settings.ts'

const { db } = await testDatabase()
const needsServer =
  'must be 0 until the service has a mail server (SMTP_URL and MAIL_FROM): customers would wait for a code that never comes'

for (const [key, field] of [
  ['svc_otp', 'otp_enabled'],
  ['softlogin', 'enabled']
] as const) {
  test(`${key} is switched on only where mail can be sent, and off anywhere`, async () => {
    const store = await aStore(db)
    const set = (value: 0 | 1, canMail: boolean) =>
      store.inStore((ctx) => updateStorefrontSetting(ctx, key, { [field]: value }, { canMail }))
    await assert.rejects(set(1, false), { message: `value.${field} ${needsServer}` })
    assert.equal((await set(1, true))[field], 1)
    assert.equal((await set(0, false))[field], 0)
    if (key === 'svc_otp') {
      const kept = await store.inStore((ctx) => storefrontSetting(ctx, otp))
      assert.equal(kept.otp_enabled, false)
    }
  })
}
