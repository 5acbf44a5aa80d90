import { Type } from 'typebox'

/** When the service compares by itself what a route has compared on demand. */
export const NextComparison = Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
  description:
    'When all are compared and corrected next by themselves, in real time; not in the future while that is under way, null where that is not scheduled',
  examples: ['2026-11-16T04:51:09.000Z']
})
