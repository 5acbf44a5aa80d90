import { areaTexts } from './area-texts.ts'

const useTexts = areaTexts<Record<string, string>>({
  en: {
    'membership charge': 'Credit of a paid cycle',
    'membership cancelled': 'The membership was cancelled',
    'cancellation revoked': 'The cancellation was taken back',
    expired: 'Expired',
    'expired on the platform': 'Expired on the platform',
    'redeemed on an order': 'Spent on an order',
    'redeemed by the discount function': 'Spent on an order',
    import: 'Import',
    'Customers were merged on the platform': 'Customers were merged on the platform'
  },
  de: {
    'membership charge': 'Guthaben eines bezahlten Zyklus',
    'membership cancelled': 'Die Mitgliedschaft wurde gekündigt',
    'cancellation revoked': 'Die Kündigung wurde zurückgenommen',
    expired: 'Verfallen',
    'expired on the platform': 'Auf der Plattform verfallen',
    'redeemed on an order': 'Bei einer Bestellung eingelöst',
    'redeemed by the discount function': 'Bei einer Bestellung eingelöst',
    import: 'Import',
    'Customers were merged on the platform': 'Kunden wurden auf der Plattform zusammengeführt'
  }
})

const BY_CODE = /^redeemed by code (.+)$/

/** What the service notes as the reason of an entry of credit or points, in words; what a person wrote stays as it is. */
export function useLedgerReason(): (reason: string) => string {
  const texts = useTexts()
  return (reason) => {
    const [, code] = BY_CODE.exec(reason) ?? []
    return texts[reason] ?? (code === undefined ? reason : `${texts['redeemed on an order']} (${code})`)
  }
}
