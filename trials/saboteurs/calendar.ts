import { type Saboteur, slice } from './saboteur.ts'

export const calendarSaboteurs: Record<string, Saboteur> = {
  'the next date is counted in days': {
    trial: 'calendar',
    run: slice('calendar-trial'),
    trialThen: { failsWith: 'cycles that were billed at another time' },
    edits: [
      {
        file: 'src/subscriptions/schedule/billing-dates.ts',
        from: '.add({ [UNIT[cadence.interval]]: steps })',
        to: ".add(cadence.interval === 'month' ? { days: 30 * steps } : { [UNIT[cadence.interval]]: steps })"
      }
    ]
  }
}
