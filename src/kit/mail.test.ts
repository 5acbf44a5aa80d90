import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSmtpServer } from '../../test/smtp-server.ts'
import { createSmtp, inHtml } from './mail.ts'
import { Secret } from './secrets.ts'

const server = await startSmtpServer()
const send = createSmtp({ url: new Secret(server.url), from: 'shops@example.com' }, { wholeMs: 2_000 })
const MAIL = {
  to: 'ada@example.com',
  senderName: 'Ada, Bob "& Co" <x@evil.example>',
  subject: 'Café\r\nBcc: eve@example.com',
  text: 'As text: 402817',
  html: '<p>As HTML: 402817</p>'
}

test('a mail has both texts, the name of the shop beside our address, and one receiver; no line can be added to its head', async () => {
  assert.deepEqual(await send(MAIL), { sent: true })
  const { from, to, data } = server.received.pop()!
  assert.deepEqual([from, to], ['shops@example.com', ['ada@example.com']])
  assert.match(data, /^From: .*<shops@example\.com>\r\n/m)
  assert.doesNotMatch(data, /^Bcc:/im)
  assert.match(data, /^Content-Type: multipart\/alternative/m)
  assert.match(data, /text\/plain.*As text: 402817.*text\/html.*As HTML: 402817/s)
})

test('an address that looks like two is one, and gets nothing to the other', async () => {
  await send({ ...MAIL, to: 'ada@example.com, eve@example.com' })
  assert.ok(!server.received.pop()?.to.includes('eve@example.com'))
})

for (const [at, say, isFinal, reason] of [
  ['RCPT', '550 no such user ada@example.com', true, /^The mail server answered 550 to RCPT TO$/],
  ['RCPT', '451 later', false, /answered 451/],
  ['DATA', '554 refused', true, /answered 554/],
  ['greeting', '421 busy', false, /answered 421/],
  ['greeting', 'close', false, /cannot be used/],
  ['RCPT', 'close', false, /cannot be used/],
  ['DATA', 'nothing', false, /took longer than 2000 ms/]
] as const) {
  test(`${say} at ${at} is ${isFinal ? 'the end' : 'to be tried again'}, and names no address`, async () => {
    server.state.fault = { at, say }
    const outcome = await send(MAIL)
    server.state.fault = null
    assert.ok(!outcome.sent)
    assert.equal(outcome.isFinal, isFinal)
    assert.match(outcome.reason, reason)
    assert.doesNotMatch(outcome.reason, /ada@/)
  })
}

test('a server that is not there is an outcome', async () => {
  const nowhere = createSmtp({ url: new Secret('smtp://127.0.0.1:1'), from: 'shops@example.com' })
  const outcome = await nowhere(MAIL)
  assert.ok(!outcome.sent && !outcome.isFinal)
})

test('a password is not sent to another machine without TLS', async () => {
  const url = server.url.replace('127.0.0.1', 'user:secret@127.0.0.2')
  const outcome = await createSmtp({ url: new Secret(url), from: 'shops@example.com' })(MAIL)
  assert.ok(!outcome.sent)
  assert.match(outcome.reason, /^The mail server answered 502 to|ETLS/)
})

test('a text is shown by HTML as it is', () => {
  assert.equal(inHtml(`<b>"&'`), '&#60;b&#62;&#34;&#38;&#39;')
})
