import { areaTexts } from '../texts/area-texts.ts'

const MANY_DE: Record<string, string> = { day: 'Tage', week: 'Wochen', month: 'Monate', year: 'Jahre' }

const en = {
  actors: {
    api: 'API',
    customer: 'Customer',
    scheduler: 'Schedule',
    dunning: 'Dunning',
    platform: 'Platform',
    import: 'Import'
  } as Record<string, string>,
  key: (name: string) => `API key “${name}”`,
  token: 'The operator token',
  formerPerson: 'Somebody who has left the team',
  sentences: {
    frequencies: {
      daily: 'every day',
      weekly: 'every week',
      monthly: 'every month',
      yearly: 'every year'
    } as Record<string, string>,
    every: (count: string, unit: string) => `every ${count} ${unit}s`,
    created: (name: string, price: string, frequency: string) => `Created: ${name} for ${price} ${frequency}`,
    imported: (name: string, price: string, frequency: string) => `Taken over: ${name} for ${price} ${frequency}`,
    pausedUntilToo: (day: string) => `; paused until ${day}`,
    pausedToo: '; paused',
    activated: 'Active: its first payment is done',
    trialStarted: (day: string) => `Trial until ${day}`,
    trialEnded: 'The trial is over: its first payment is done',
    paused: 'Paused',
    pausedUntil: (day: string) => `Paused until ${day}`,
    resumed: 'Resumed',
    reactivated: 'The cancellation was taken back',
    nextCharge: (day: string) => `; next charge on ${day}`,
    dueCycle: (cycle: string, day: string) => `; cycle ${cycle}, which is not paid, is due on ${day}`,
    missedCycle: (cycle: string) => `; cycle ${cycle} was not paid and is missed`,
    paidAfterAll: (cycle: string) => `Resumed, since cycle ${cycle} was paid after all`,
    skipped: (cycle: string) => `Cycle ${cycle} skipped`,
    dateChanged: (day: string) => `Next charge moved to ${day}`,
    dateRemoved: 'The date of the next charge was removed',
    cancelled: (reason: string) => `Cancelled: ${reason}`,
    failed: (reason: string) => `Failed: ${reason}`,
    expired: 'Expired: all its cycles are paid',
    gifted: (to: string) => `Given to ${to}, who holds it from now on`,
    giftRevoked: (from: string) => `The gift to ${from} was revoked`,
    planChanged: (from: string, to: string) => `Plan changed from ${from} to ${to}`,
    priceChanged: (from: string, to: string) => `Price changed from ${from} to ${to}`,
    frequencyChanged: (from: string, to: string) => `Billing changed from ${from} to ${to}`,
    paymentMethodChanged: (name: string, lastFour: string | null) =>
      `Payment method changed to ${name}${lastFour === null ? '' : ` ending in ${lastFour}`}`,
    paymentMethodRemoved: 'The payment method was removed',
    chargeScheduled: (amount: string, cycle: string) => `Charge of ${amount} for cycle ${cycle} started`,
    charged: (amount: string, cycle: string, order: string | null) =>
      `Charged ${amount} for cycle ${cycle}${order === null ? '' : `, order ${order}`}`,
    chargeFailed: (amount: string, cycle: string, why: string) =>
      `Charge of ${amount} for cycle ${cycle} failed: ${why}`,
    unknownError: 'no reason is known',
    nextRetry: (day: string) => `Next try on ${day}`,
    retryRequested: (cycle: string) => `Another try of the charge for cycle ${cycle} was asked for`,
    actionRequired: (amount: string, cycle: string) =>
      `The customer has to confirm the charge of ${amount} for cycle ${cycle}`,
    actionReminded: (nth: string, amount: string, cycle: string) =>
      `Reminder ${nth} to confirm the charge of ${amount} for cycle ${cycle}`,
    chargeCorrected: (amount: string, cycle: string) =>
      `The platform had reported the charge of ${amount} for cycle ${cycle} as failed; it was paid`,
    chargedAfterStop: 'The charge became known after the subscription had ended',
    recovered: (amount: string) => `Recovered ${amount} after a decline`,
    noMoreRetries: (cycle: string, reason: string) => `No more tries for cycle ${cycle}: ${reason}`,
    offerAccepted: (name: string) => `Offer accepted: ${name}`,
    offerEnded: (name: string, why: string) => `Offer ended, since ${why}: ${name}`,
    offerEnds: {
      used: 'all its cycles were paid',
      charged: 'the next charge was paid',
      revoked: 'it was revoked',
      removed: 'somebody else removed it on the platform',
      lost: 'its contract has ended'
    } as Record<string, string>,
    note: 'Note'
  }
}

export type HistoryTexts = typeof en

/** The texts of histories: who did something, and what happened. */
export const useHistoryTexts = areaTexts<HistoryTexts>({
  en,
  de: {
    actors: {
      api: 'API',
      customer: 'Kunde',
      scheduler: 'Zeitplan',
      dunning: 'Mahnlauf',
      platform: 'Plattform',
      import: 'Import'
    },
    key: (name) => `API-Schlüssel „${name}“`,
    token: 'Das Betreiber-Token',
    formerPerson: 'Jemand, der nicht mehr im Team ist',
    sentences: {
      frequencies: {
        daily: 'jeden Tag',
        weekly: 'jede Woche',
        monthly: 'jeden Monat',
        yearly: 'jedes Jahr'
      },
      every: (count, unit) => `alle ${count} ${MANY_DE[unit]}`,
      created: (name, price, frequency) => `Angelegt: ${name} für ${price} ${frequency}`,
      imported: (name, price, frequency) => `Übernommen: ${name} für ${price} ${frequency}`,
      pausedUntilToo: (day) => `; pausiert bis ${day}`,
      pausedToo: '; pausiert',
      activated: 'Aktiv: die erste Zahlung ist erfolgt',
      trialStarted: (day) => `Probezeit bis ${day}`,
      trialEnded: 'Die Probezeit ist vorbei: die erste Zahlung ist erfolgt',
      paused: 'Pausiert',
      pausedUntil: (day) => `Pausiert bis ${day}`,
      resumed: 'Fortgesetzt',
      reactivated: 'Die Kündigung wurde zurückgenommen',
      nextCharge: (day) => `; nächste Abbuchung am ${day}`,
      dueCycle: (cycle, day) => `; der unbezahlte Zyklus ${cycle} ist am ${day} fällig`,
      missedCycle: (cycle) => `; Zyklus ${cycle} wurde nicht bezahlt und entfällt`,
      paidAfterAll: (cycle) => `Fortgesetzt, da Zyklus ${cycle} doch bezahlt ist`,
      skipped: (cycle) => `Zyklus ${cycle} ausgelassen`,
      dateChanged: (day) => `Nächste Abbuchung auf ${day} verlegt`,
      dateRemoved: 'Das Datum der nächsten Abbuchung wurde entfernt',
      cancelled: (reason) => `Gekündigt: ${reason}`,
      failed: (reason) => `Gescheitert: ${reason}`,
      expired: 'Abgelaufen: alle Zyklen sind bezahlt',
      gifted: (to) => `An ${to} verschenkt, wo es von jetzt an gilt`,
      giftRevoked: (from) => `Das Geschenk an ${from} wurde zurückgenommen`,
      planChanged: (from, to) => `Plan von ${from} zu ${to} geändert`,
      priceChanged: (from, to) => `Preis von ${from} auf ${to} geändert`,
      frequencyChanged: (from, to) => `Abrechnung geändert: ${to} statt ${from}`,
      paymentMethodChanged: (name, lastFour) =>
        `Zahlungsmittel geändert: ${name}${lastFour === null ? '' : ` mit den Endziffern ${lastFour}`}`,
      paymentMethodRemoved: 'Das Zahlungsmittel wurde entfernt',
      chargeScheduled: (amount, cycle) => `Abbuchung von ${amount} für Zyklus ${cycle} begonnen`,
      charged: (amount, cycle, order) =>
        `${amount} für Zyklus ${cycle} abgebucht${order === null ? '' : `, Bestellung ${order}`}`,
      chargeFailed: (amount, cycle, why) => `Abbuchung von ${amount} für Zyklus ${cycle} gescheitert: ${why}`,
      unknownError: 'der Grund ist unbekannt',
      nextRetry: (day) => `Nächster Versuch am ${day}`,
      retryRequested: (cycle) => `Ein weiterer Versuch der Abbuchung für Zyklus ${cycle} wurde verlangt`,
      actionRequired: (amount, cycle) => `Der Kunde muss die Abbuchung von ${amount} für Zyklus ${cycle} bestätigen`,
      actionReminded: (nth, amount, cycle) =>
        `Erinnerung ${nth}, die Abbuchung von ${amount} für Zyklus ${cycle} zu bestätigen`,
      chargeCorrected: (amount, cycle) =>
        `Die Plattform hatte die Abbuchung von ${amount} für Zyklus ${cycle} als gescheitert gemeldet; sie ist bezahlt`,
      chargedAfterStop: 'Die Abbuchung wurde bekannt, nachdem das Abonnement beendet war',
      recovered: (amount) => `${amount} nach einer Ablehnung gerettet`,
      noMoreRetries: (cycle, reason) => `Keine weiteren Versuche für Zyklus ${cycle}: ${reason}`,
      offerAccepted: (name) => `Angebot angenommen: ${name}`,
      offerEnded: (name, why) => `Angebot beendet (${why}): ${name}`,
      offerEnds: {
        used: 'alle seine Zyklen sind bezahlt',
        charged: 'die nächste Abbuchung ist bezahlt',
        revoked: 'es wurde widerrufen',
        removed: 'jemand anderes hat es auf der Plattform entfernt',
        lost: 'der Vertrag ist beendet'
      },
      note: 'Notiz'
    }
  }
})
