import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allows, type Move, type SubscriptionStatus } from './transitions.ts'

const ALLOWED: Record<SubscriptionStatus, Move[]> = {
  active: ['pause', 'cancel', 'fail', 'expire'],
  paused: ['resume', 'cancel'],
  failed: ['cancel'],
  cancelled: [],
  expired: []
}

test('every status allows just the moves of the lifecycle', () => {
  for (const [status, moves] of Object.entries(ALLOWED)) {
    for (const move of ['pause', 'resume', 'cancel', 'fail', 'expire'] as const) {
      assert.equal(allows(move, status as SubscriptionStatus), moves.includes(move), `${move} from ${status}`)
    }
  }
})
