import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '#kit/secrets'
import { createLogger } from './logger.ts'

const CANARY = 'canary-7f3a'

for (const format of ['json', 'pretty'] as const) {
  test(`no secret appears in a ${format} log line, under any of its names and at any depth`, () => {
    const lines: string[] = []
    const logger = createLogger({ level: 'trace', format }, { write: (line: string) => void lines.push(line) })
    logger.info(
      { authorization: `Bearer ${CANARY}`, nested: { access_token: CANARY, list: [{ appSecret: CANARY }] } },
      'one'
    )
    logger.info(
      { key: CANARY, signature: CANARY, email: `${CANARY}@example.com`, 'X-Platform-Access-Token': CANARY },
      'two'
    )
    logger.warn({ err: Object.assign(new Error('three'), { password: CANARY, config: { token: CANARY } }) }, 'three')
    logger.info({ value: new Secret(CANARY) }, 'four')
    logger.child({ token: CANARY }).info('five')
    assert.equal(lines.length, 5)
    assert.ok(!lines.join('').includes(CANARY), lines.join(''))
    assert.ok(
      lines.every((line) => (line.endsWith('\n') && line.trim().split('\n').length === 1) || format === 'pretty')
    )
  })
}
