import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { testServer } from '../src/http/server.test-helper.ts'
import { aFact, aReceiver, aSendingStore } from '../src/webhooks/receiver.test-helper.ts'
import { testDatabase } from './database.ts'

const { db, url } = await testDatabase()
const server = testServer(db)

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
    texts.push(...rows.map(({ row }) => row))
  }
  await client.end()
  return texts.join('\n')
}

test('a signing secret appears only in the response that creates it', async () => {
  // It returns whatever it receives, as a receiver in debug mode does.
  const receiver = await aReceiver(({ headers, body }, r) => {
    r.writeHead(receiver.received.length % 2 === 0 ? 200 : 500).end(JSON.stringify({ headers, body }))
  })
  const store = await aSendingStore(db)
  const at = `/stores/${store.domain}`
  const responses: string[] = []
  const call = async (...[method, path, payload]: Parameters<typeof server.admin>) => {
    const response = await server.admin(method, at + path, payload)
    const { secret, ...rest } = response.json()
    responses.push(JSON.stringify({ ...rest, headers: response.headers }))
    return { secret: secret as string | undefined, status: response.statusCode, body: rest }
  }

  const created = await call('POST', '/webhooks', { url: receiver.url })
  const { id } = created.body
  await store.record(aFact(1), aFact(2))
  await store.settle()
  const rolled = await call('POST', `/webhooks/${id}/roll`)
  const secrets = [created.secret!, rolled.secret!]
  assert.equal(new Set(secrets).size, 2)
  await store.record(aFact(3), aFact(4))
  await store.settle()
  await call('POST', `/webhooks/${id}/test`, { event: 'billing.failed' })
  await store.settle()
  // A secret sent in a wrong field is returned to the sender in the error, and is stored nowhere.
  await server.admin('POST', `${at}/webhooks`, { url: receiver.url, events: [secrets[0]] })
  await server.admin('GET', `${at}/webhook-deliveries?event=${encodeURIComponent(secrets[0]!)}`)
  await call('PATCH', `/webhooks/${id}`, { description: 'ours' })
  await call('GET', '/webhooks')
  await call('GET', `/webhooks/${id}`)
  const { body: list } = await call('GET', '/webhook-deliveries')
  assert.equal(list.data.length, 5)
  for (const { webhook_id } of list.data) {
    const { body: detail } = await call('GET', `/webhook-deliveries/${webhook_id}`)
    assert.equal(detail.webhook_id, webhook_id)
    await call('POST', `/webhook-deliveries/${webhook_id}/resend`)
  }
  await store.settle()
  await call('POST', '/webhook-deliveries/resend-failed', { since: '2020-01-01' })
  await call('POST', `/webhooks/${id}/disable`)
  await call('POST', `/webhooks/${id}/end-roll`)

  const places = { answers: responses.join('\n'), logs: server.logged(), tables: await dump() }
  for (const [place, text] of Object.entries(places)) {
    assert.ok(text.length > 1000, place)
    for (const secret of secrets) {
      const core = secret.slice('whsec_'.length)
      const forms = [
        core,
        encodeURIComponent(core),
        Buffer.from(secret).toString('hex'),
        Buffer.from(core, 'base64').toString('hex')
      ]
      const found = forms.filter((form) => text.includes(form))
      const at = found.map((form) => text.slice(Math.max(0, text.indexOf(form) - 200), text.indexOf(form)))
      assert.deepEqual(at, [], place)
    }
  }
})
