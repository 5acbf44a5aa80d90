import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calendarTrial } from '../trials/calendar.ts'
import { testDatabase } from './database.ts'

// The slice that every run takes; `npm run trials` has all zones and three years. Half an hour of daylight saving, offsets of a
// quarter, a change at midnight, one that goes west of noon, and a zone that once left a day out.
test('over the years each cycle is billed once, on its day in the shop, whatever the clock and the zone do', async () => {
  const { db } = await testDatabase()
  const zones = ['Australia/Lord_Howe', 'Pacific/Chatham', 'America/Havana', 'America/New_York']
  const year = { db, years: 1, seed: 7 }
  const [{ setAhead, setBack }] = await Promise.all([
    calendarTrial({ ...year, zones, fromYear: 2027 }),
    calendarTrial({ ...year, zones: ['Pacific/Apia'], fromYear: 2011 })
  ])
  assert.ok(setAhead > 0 && setBack > 0, 'no clock was wrong')
})
