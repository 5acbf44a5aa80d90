import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopperAddress } from './shopper-address.ts'

const [SHOPPER, PLATFORM, PROXY] = ['203.0.113.9', '198.51.100.7', '10.0.0.2']
const addressOf = (ip: string, peer: string, forwarded?: string | string[]) =>
  shopperAddress({
    ip,
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded as string },
    socket: { remoteAddress: peer } as never
  })

test('of a signed request the shopper is who the platform names, with and without proxies of ours, and nobody before that', () => {
  assert.equal(addressOf(PLATFORM, PLATFORM, SHOPPER), SHOPPER)
  assert.equal(addressOf(PLATFORM, PLATFORM, `1.1.1.1, ${SHOPPER}`), SHOPPER)
  assert.equal(addressOf(PLATFORM, PROXY, `${SHOPPER}, ${PLATFORM}`), SHOPPER)
  assert.equal(addressOf(PLATFORM, PROXY, `1.1.1.1,${SHOPPER},${PLATFORM}`), SHOPPER)
  assert.equal(addressOf(PLATFORM, PLATFORM, '2001:db8::1'), '2001:db8::1')
})

test('where nobody is named, or something that is no address, it is who connects', () => {
  for (const forwarded of [undefined, '', 'unknown', `${SHOPPER}, unknown`]) {
    assert.equal(addressOf(PLATFORM, PLATFORM, forwarded), PLATFORM)
  }
  // The platform is among the trusted proxies, as the sandbox is on this machine.
  assert.equal(addressOf(SHOPPER, '127.0.0.1', SHOPPER), SHOPPER)
})
