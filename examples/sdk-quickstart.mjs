// A first program with the client: `KEY=svc_test_… node sdk-quickstart.mjs`, where @perennial/sdk is installed
// (sdk/README.md). Node 20 or later.
import { createClient, InvalidRequestError } from '@perennial/sdk'

const perennial = createClient({ baseUrl: process.env.BASE_URL ?? 'http://127.0.0.1:3000/v1', apiKey: process.env.KEY })

// Awaited, a list is one page.
const { data: members, meta } = await perennial.members.list({ status: 'active', limit: 3 })
console.log(`${meta.total} active members, among them:`)
for (const { id, customer, next_billing_date } of members) console.log(' ', id, customer.email, next_billing_date)

// Iterated, it is every object; pages are fetched as needed.
let declined = 0
for await (const attempt of perennial.billingAttempts.list({ status: 'failed' })) {
  if (attempt.error.code === 'card_declined') declined++
}
console.log(`${declined} charges were declined by a card`)

// A write is retried when there is no response, and has one effect.
const [member] = members
const credit = await perennial.storeCredits.add(member.customer.id, { amount: 5, reason: 'Thank you' })
console.log(`${member.id} has ${credit.available} ${credit.currency} of store credit`)

// Each error of the API has its own class.
try {
  await perennial.storeCredits.deduct(member.customer.id, { amount: 1_000_000, reason: 'Too much' })
} catch (err) {
  if (!(err instanceof InvalidRequestError)) throw err
  console.log(`Refused: ${err.message} (request ${err.requestId})`)
}

const { data: overview, rateLimit } = await perennial.analytics.overview({ period: '30d' }).withResponse()
console.log(`MRR ${overview.mrr} ${overview.currency}; ${rateLimit.remaining} requests left`)
