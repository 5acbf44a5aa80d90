import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf, tooBusy } from '../http/shared/errors.ts'
import { asDriverError } from '../kit/postgres/outage.ts'
import { unavailableInCommands } from './unavailable-in-commands.ts'

const STATUS = '`perennial status` says what does not work, and what to do'

test('a database that does not respond is reported without the headers of a request', () => {
  const outage = asDriverError(Object.assign(new Error('terminating'), { code: '57P01', severity: 'FATAL' }))
  const { message } = refusalOf(outage, {} as never)!
  assert.equal(
    unavailableInCommands(message),
    `The database does not respond at the moment. Whether a change was made is not known. ${STATUS}`
  )
  assert.equal(unavailableInCommands(tooBusy().message), `The service is busy, and nothing was changed. ${STATUS}`)
})

test('other messages stay as they are', () => {
  const message = 'The platform did not accept the plan: it is down'
  assert.equal(unavailableInCommands(message), message)
})
