import { areaTexts } from '../../../shared/texts/area-texts.ts'

export const useCodesTexts = areaTexts({
  en: {
    title: 'Codes that spend credit',
    none: 'There is no code yet. The customer makes one in the shop, or support does here.',
    otherWay: 'This customer has no plan whose credit is spent by codes.',
    code: 'Code',
    status: 'Status',
    amount: 'Takes off',
    until: 'Can be used until',
    order: 'Order',
    used: (amount: string) => `${amount} used`,
    statuses: {
      pending: 'Being made',
      active: 'Can be used',
      ending: 'Being ended',
      used: 'Used',
      ended: 'Ended',
      failed: 'Refused by the platform'
    } as Record<string, string>,
    endedBy: {
      expired: 'Its time is over',
      revoked: 'Revoked',
      merged: 'The customer was merged into another'
    } as Record<string, string>,
    create: {
      label: 'Create a code',
      title: 'Create a code that spends store credit',
      text: 'The customer enters it at the checkout. Its credit is reserved until it is used or its time is over.',
      amount: (currency: string) => `Takes off at most (${currency})`,
      amountHelp: (available: string) => `Empty: all that the customer can spend now, ${available}.`,
      duration: 'Minutes for which it can be used',
      durationHelp: 'At most 1440, which is a day.',
      done: (code: string) => `The code is ${code}`,
      soon: 'The platform is making the code. It is in the list in a moment'
    },
    revoke: {
      label: 'Revoke',
      title: (code: string) => `Revoke ${code}?`,
      text: 'The platform does not take it any more. The credit can be spent again when it is known that no order has used it, a few minutes later.',
      done: 'The code is revoked'
    }
  },
  de: {
    title: 'Codes, die Guthaben einlösen',
    none: 'Noch gibt es keinen Code. Der Kunde macht einen im Shop, oder der Support hier.',
    otherWay: 'Dieser Kunde hat keinen Plan, dessen Guthaben durch Codes verwendet wird.',
    code: 'Code',
    status: 'Status',
    amount: 'Zieht ab',
    until: 'Verwendbar bis',
    order: 'Bestellung',
    used: (amount) => `${amount} verwendet`,
    statuses: {
      pending: 'Wird angelegt',
      active: 'Verwendbar',
      ending: 'Wird beendet',
      used: 'Verwendet',
      ended: 'Beendet',
      failed: 'Von der Plattform abgelehnt'
    },
    endedBy: {
      expired: 'Seine Zeit ist vorbei',
      revoked: 'Widerrufen',
      merged: 'Der Kunde wurde mit einem anderen zusammengeführt'
    },
    create: {
      label: 'Code erzeugen',
      title: 'Einen Code erzeugen, der Guthaben einlöst',
      text: 'Der Kunde gibt ihn beim Bezahlen ein. Sein Guthaben ist vorgemerkt, bis er verwendet ist oder seine Zeit vorbei ist.',
      amount: (currency) => `Zieht höchstens ab (${currency})`,
      amountHelp: (available) => `Leer: alles, was der Kunde jetzt verwenden kann, ${available}.`,
      duration: 'Minuten, in denen er verwendbar ist',
      durationHelp: 'Höchstens 1440, das ist ein Tag.',
      done: (code) => `Der Code ist ${code}`,
      soon: 'Die Plattform legt den Code an. Er steht gleich in der Liste'
    },
    revoke: {
      label: 'Widerrufen',
      title: (code) => `${code} widerrufen?`,
      text: 'Die Plattform nimmt ihn nicht mehr an. Das Guthaben ist wieder verwendbar, sobald feststeht, dass keine Bestellung ihn verwendet hat, einige Minuten später.',
      done: 'Der Code ist widerrufen'
    }
  }
})
