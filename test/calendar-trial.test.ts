import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calendarTrial } from '../trials/calendar.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` has all zones and three years. The zones here: daylight saving of half an hour, offsets of a
// quarter of an hour, a change at midnight, an offset west of -11, and a zone that once skipped a day.
test('each cycle is billed once, on its local day, across time zones and clock changes', async () => {
  const { db } = await testDatabase()
  const zones = ['Australia/Lord_Howe', 'Pacific/Chatham', 'America/Havana', 'America/New_York']
  const year = { db, years: 1, seed: 7 }
  const [{ setAhead, setBack }] = await Promise.all([
    calendarTrial({ ...year, zones, fromYear: 2027 }),
    calendarTrial({ ...year, zones: ['Pacific/Apia'], fromYear: 2011 })
  ])
  assert.ok(setAhead > 0 && setBack > 0, 'no clock was wrong')
})
